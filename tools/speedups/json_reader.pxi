# The reader for JSON: `read_json`. Included by _soapclient_xmlread.pyx.

cdef enum:
    MAX_JSON_DEPTH = 90       # open objects; the Python reader allows 100 objects and arrays
    CHECKED_BYTES = 1 << 16   # bytes between two checks of the deadline


@cython.final
cdef class JsonReader:
    """Reader for one document: an object whose names are the fields of a response.

    `position` is the next byte. A zero byte follows the document and is not allowed in it, so loops over
    bytes end there.
    """

    cdef const char* position
    cdef const char* checked    # the deadline was checked here
    cdef const char* text       # the string that was read last, and its length
    cdef Py_ssize_t length
    cdef char* buffer           # for strings with escapes
    cdef Py_ssize_t capacity
    cdef int depth
    cdef object check_deadline

    def __dealloc__(self):
        free(self.buffer)

    cdef int check_time(self) except -1:
        """Check the deadline if enough bytes were read since the last check."""
        if self.position - self.checked > CHECKED_BYTES:
            self.checked = self.position
            self.check_deadline()
        return 0

    cdef int skip_spaces(self) noexcept:
        """Skip white space. Return the next byte."""
        while self.position[0] in (c' ', c'\n', c'\r', c'\t'):
            self.position += 1
        return self.position[0]

    cdef int skip(self, char expected) except -1:
        """Skip white space, a byte, which must be `expected`, and white space again."""
        if self.skip_spaces() != expected:
            raise Slow
        self.position += 1
        self.skip_spaces()
        return 0

    cdef bint skip_word(self, const char* word) noexcept:
        """Skip `word` and return True if it is next, otherwise return False."""
        cdef size_t length = strlen(word)
        if strncmp(self.position, word, length) != 0:
            return False
        self.position += length
        return True

    # -- strings and numbers

    cdef int read_string(self) except -1:
        """Read a string into `text`. The position must be at its opening quote."""
        cdef const char* start = self.position + 1
        cdef const char* end = start
        cdef bint has_escapes = False
        while end[0] != c'"':
            if <unsigned char>end[0] < 32:
                raise Slow
            if end[0] == c'\\':
                has_escapes = True
                end += 1
                if <unsigned char>end[0] < 32:
                    raise Slow
            end += 1
        if end - start > MAX_TEXT:
            raise Slow
        self.position = end + 1
        self.text, self.length = start, end - start
        if has_escapes:
            self.unescape(start, end)
        return 0

    cdef int unescape(self, const char* start, const char* end) except -1:
        """Set `text` to a string without its escapes. An escape is never shorter than its character in UTF-8."""
        cdef Py_ssize_t size = 0
        cdef long code
        cdef char* buffer
        if end - start >= self.capacity:
            buffer = <char*>realloc(self.buffer, end - start + 1)
            if buffer is NULL:
                raise MemoryError
            self.buffer, self.capacity = buffer, end - start + 1
        while start < end:
            if start[0] != c'\\':
                code = start[0]
                self.buffer[size] = start[0]
                size += 1
                start += 1
                continue
            if start[1] == c'u':
                code = four_digits(start + 2)
                start += 6
                if 0xD800 <= code < 0xDC00 and start[0] == c'\\' and start[1] == c'u':
                    code = 0x10000 + ((code - 0xD800) << 10) + four_digits(start + 2) - 0xDC00
                    if not 0xDC00 <= four_digits(start + 2) < 0xE000:
                        raise Slow
                    start += 6
                size += put_character(self.buffer + size, code)
                continue
            if start[1] in (c'"', c'\\', c'/'):
                self.buffer[size] = start[1]
            elif start[1] == c'n':
                self.buffer[size] = c'\n'
            elif start[1] == c't':
                self.buffer[size] = c'\t'
            elif start[1] == c'r':
                self.buffer[size] = c'\r'
            else:  # also \b and \f, which XML does not allow
                raise Slow
            size += 1
            start += 2
        self.buffer[size] = 0
        self.text, self.length = self.buffer, size
        return 0

    cdef int read_number(self) except -1:
        """Read a number without an exponent into `text`."""
        cdef const char* start = self.position
        cdef const char* end = start
        if end[0] == c'-':
            end += 1
        if not is_digit(end[0]) or end[0] == c'0' and is_digit(end[1]):
            raise Slow
        while is_digit(end[0]):
            end += 1
        if end[0] == c'.':
            end += 1
            if not is_digit(end[0]):
                raise Slow
            while is_digit(end[0]):
                end += 1
        if end[0] not in (c',', c'}', c']', c' ', c'\n', c'\r', c'\t') or end - start > MAX_TEXT:
            raise Slow
        self.text, self.length, self.position = start, end - start, end
        return 0

    # -- values

    cdef object read_value(self, Field field):
        """Read one value of a field."""
        if field.kind == KIND_STRUCT:
            return self.read_object(field.plan)
        if field.kind == KIND_LIST:
            return self.read_list(field)
        if self.position[0] == c'"':
            self.read_string()
        elif self.skip_word(b"true"):
            self.text, self.length = b"true", 4
        elif self.skip_word(b"false"):
            self.text, self.length = b"false", 5
        else:
            self.read_number()
        try:
            return decoded(field, self.text, self.length)
        except UnicodeDecodeError:
            raise Slow from None

    cdef list read_list(self, Field field):
        """Read an object with the items of a list as its only member."""
        cdef list items
        self.skip(c'{')
        self.read_key()
        if not is_key(field.item, self.text, self.length):
            raise Slow
        self.skip(c':')
        items = self.read_array(field.item) if self.position[0] == c'[' else [self.read_value(field.item)]
        if self.skip_spaces() != c'}':
            raise Slow
        self.position += 1
        return items

    cdef list read_array(self, Field field):
        cdef list items = []
        self.skip(c'[')
        if self.position[0] == c']':
            self.position += 1
            return items
        while True:
            self.check_time()
            items.append(self.read_value(field))
            if self.skip_spaces() == c']':
                self.position += 1
                return items
            self.skip(c',')

    cdef int read_key(self) except -1:
        """Read the name of a member into `text`."""
        if self.position[0] != c'"':
            raise Slow
        self.read_string()
        return 0

    cdef object read_object(self, Plan plan):
        """Read an object with the fields of a type."""
        cdef Field field
        cdef Py_ssize_t index, expected = 0
        if not plan.is_complete:
            plan.complete()
        if plan.unsupported or plan.keys is None or self.depth == MAX_JSON_DEPTH:
            raise Slow
        self.depth += 1
        self.check_time()
        struct = new_struct(plan.struct_type)
        self.skip(c'{')
        while True:
            self.read_key()
            index = index_of_key(plan, expected, self.text, self.length)
            field = plan.members[index]
            expected = index + 1
            self.skip(c':')
            if self.position[0] == c'n' and self.skip_word(b"null"):
                pass
            elif slot_value(struct, field.offset) is not NULL:
                raise Slow
            elif field.repeats:
                if self.position[0] == c'[':
                    values = self.read_array(field)
                else:
                    values = [self.read_value(field)]
                if values:
                    set_slot(struct, field.offset, values)
            else:
                set_slot(struct, field.offset, self.read_value(field))
            if self.skip_spaces() == c'}':
                self.position += 1
                break
            self.skip(c',')
        self.depth -= 1
        if self.depth == 0 and not has_value(plan, struct):
            raise Slow
        set_defaults(plan, struct)
        return struct


cdef long four_digits(const char* text) except -1:
    """Return the number with four hexadecimal digits."""
    cdef long number = 0
    cdef int index
    for index in range(4):
        number *= 16
        if is_digit(text[index]):
            number += text[index] - c'0'
        elif c'a' <= text[index] <= c'f':
            number += text[index] - c'a' + 10
        elif c'A' <= text[index] <= c'F':
            number += text[index] - c'A' + 10
        else:
            raise Slow
    return number


cdef int put_character(char* target, long code) except -1:
    """Write a character in UTF-8, and return its length. Raises Slow for characters that XML does not allow."""
    if code < 32 and code not in (9, 10, 13) or 0xD800 <= code < 0xE000 or 0xFFFE <= code <= 0xFFFF:
        raise Slow
    if code < 0x80:
        target[0] = <char>code
        return 1
    if code < 0x800:
        target[0] = <char>(0xC0 | code >> 6)
        target[1] = <char>(0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        target[0] = <char>(0xE0 | code >> 12)
        target[1] = <char>(0x80 | code >> 6 & 0x3F)
        target[2] = <char>(0x80 | code & 0x3F)
        return 3
    target[0] = <char>(0xF0 | code >> 18)
    target[1] = <char>(0x80 | code >> 12 & 0x3F)
    target[2] = <char>(0x80 | code >> 6 & 0x3F)
    target[3] = <char>(0x80 | code & 0x3F)
    return 4


cdef inline bint is_key(Field field, const char* text, Py_ssize_t length):
    return PyBytes_GET_SIZE(field.key) == length and memcmp(PyBytes_AS_STRING(field.key), text, length) == 0


cdef Py_ssize_t index_of_key(Plan plan, Py_ssize_t expected, const char* text, Py_ssize_t length) except -1:
    """Return the index of a field. Mostly it is the expected one, or one of the next."""
    cdef Py_ssize_t index
    cdef tuple members = plan.members
    for index in range(expected, min(expected + 6, len(members))):
        if is_key(<Field>members[index], text, length):
            return index
    position = plan.keys.get(text[:length])
    if position is None:
        raise Slow
    return position


cdef bint has_value(Plan plan, object struct):
    cdef Field field
    for field in plan.members:
        if slot_value(struct, field.offset) is not NULL:
            return True
    return False


def read_json(Plan plan not None, bytes data not None, check_deadline not None):
    """Read a document, an object with the fields of the type of `plan`, and return the struct.

    `check_deadline` is called several times; it can raise to stop the reading. Raises Slow.
    """
    cdef JsonReader reader = JsonReader.__new__(JsonReader)
    reader.position = reader.checked = PyBytes_AS_STRING(data)
    reader.check_deadline = check_deadline
    reader.skip_spaces()
    struct = reader.read_object(plan)
    reader.skip_spaces()
    if reader.position - PyBytes_AS_STRING(data) != PyBytes_GET_SIZE(data):
        raise Slow
    return struct
