# Texts to values. A byte that cannot continue the text must follow each text, such as a zero byte.
# Included by _soapclient_xmlread.pyx.

cdef object DECIMAL_TYPE = Decimal
cdef object UTC = dt.timezone.utc
cdef dict OFFSETS = {}  # minutes -> time zone


cdef inline bint is_digit(char byte) noexcept:
    return c'0' <= byte <= c'9'


cdef inline int two_digits(const char* text) except -1:
    if not is_digit(text[0]) or not is_digit(text[1]):
        raise Slow
    return (text[0] - c'0') * 10 + (text[1] - c'0')


cdef object decoded_text(const char* text, Py_ssize_t length):
    return PyUnicode_DecodeUTF8(text, length, NULL)  # expat has checked that it is UTF-8


cdef object decoded_integer(Field field, const char* text, Py_ssize_t length):
    cdef long long number = 0
    cdef bint negative = text[0] == c'-'
    cdef Py_ssize_t index = 1 if negative else 0
    if not 1 <= length - index <= 18:  # up to 18 digits always fit
        raise Slow
    while index < length:
        if not is_digit(text[index]):
            raise Slow
        number = number * 10 + (text[index] - c'0')
        index += 1
    if negative:
        number = -number
    if number < field.low or number > field.high:
        raise Slow
    return number


cdef int check_decimal(const char* text, Py_ssize_t length) except -1:
    """Raise Slow unless the text consists of digits with at most one point inside, after an optional minus."""
    cdef Py_ssize_t index = 1 if text[0] == c'-' else 0
    cdef bint has_point = False
    if not is_digit(text[index]):
        raise Slow
    while index < length:
        if text[index] == c'.':
            if has_point or index + 1 == length:
                raise Slow
            has_point = True
        elif not is_digit(text[index]):
            raise Slow
        index += 1
    return 0


cdef object decoded_date(const char* text, Py_ssize_t length):
    if length != 10 or text[4] != c'-' or text[7] != c'-':
        raise Slow
    try:
        return c_datetime.date_new(
            two_digits(text) * 100 + two_digits(text + 2), two_digits(text + 5), two_digits(text + 8)
        )
    except ValueError:
        raise Slow from None


cdef object decoded_date_time(const char* text, Py_ssize_t length):
    """Decode a date-time with a zone and at most six fractional digits."""
    cdef int year, month, day, hour, minute, second, microsecond = 0, factor = 100_000
    cdef Py_ssize_t index = 19
    if (length < 20 or text[4] != c'-' or text[7] != c'-' or text[10] != c'T'
            or text[13] != c':' or text[16] != c':'):
        raise Slow
    year = two_digits(text) * 100 + two_digits(text + 2)
    month, day = two_digits(text + 5), two_digits(text + 8)
    hour, minute, second = two_digits(text + 11), two_digits(text + 14), two_digits(text + 17)
    if hour > 23 or minute > 59 or second > 59:
        raise Slow
    if text[19] == c'.':
        index = 20
        while is_digit(text[index]) and factor:
            microsecond += (text[index] - c'0') * factor
            factor //= 10
            index += 1
        if index == 20:
            raise Slow
    zone = zone_of(text + index, length - index)
    try:
        return c_datetime.datetime_new(year, month, day, hour, minute, second, microsecond, zone)
    except ValueError:
        raise Slow from None


cdef object zone_of(const char* text, Py_ssize_t length):
    """Return the zone for `Z` or for an offset of less than 14 hours."""
    cdef int hours, minutes
    if length == 1 and text[0] == c'Z':
        return UTC
    if length != 6 or text[3] != c':' or (text[0] != c'+' and text[0] != c'-'):
        raise Slow
    hours, minutes = two_digits(text + 1), two_digits(text + 4)
    if hours > 13 or minutes > 59:
        raise Slow
    minutes += hours * 60
    if text[0] == c'-':
        minutes = -minutes
    zone = OFFSETS.get(minutes)
    if zone is None:
        zone = OFFSETS[minutes] = dt.timezone(dt.timedelta(minutes=minutes)) if minutes else UTC
    return zone


cdef object decoded_boolean(const char* text, Py_ssize_t length):
    if length == 4 and memcmp(text, b"true", 4) == 0 or length == 1 and text[0] == c'1':
        return True
    if length == 5 and memcmp(text, b"false", 5) == 0 or length == 1 and text[0] == c'0':
        return False
    raise Slow


cdef object decoded(Field field, const char* text, Py_ssize_t length):
    """Decode the text of an element or of an attribute."""
    cdef int kind = field.kind
    if length == 0 and (field.has_default or kind != KIND_STRING and kind != KIND_PARSED):
        raise Slow
    if kind == KIND_STRING:
        return decoded_text(text, length)
    if kind == KIND_INTEGER:
        return decoded_integer(field, text, length)
    if kind == KIND_DECIMAL:
        check_decimal(text, length)
        return DECIMAL_TYPE(decoded_text(text, length))
    if kind == KIND_FLOAT:
        check_decimal(text, length)
        return float(decoded_text(text, length))
    if kind == KIND_DATE_TIME:
        return decoded_date_time(text, length)
    if kind == KIND_DATE:
        return decoded_date(text, length)
    if kind == KIND_ENUMERATION:
        member = field.members.get(text[:length])
        if member is None:
            raise Slow
        return member
    if kind == KIND_BOOLEAN:
        return decoded_boolean(text, length)
    if kind == KIND_PARSED:
        try:
            return field.parse(decoded_text(text, length))
        except Exception:
            raise Slow from None
    raise Slow
