# cython: language_level=3, nonecheck=True
"""Compiled reader for SOAP responses: bytes to structs, without a tree.

Python's own expat splits the document into tags and texts. `Plan` objects, which soapclient.runtime.plans
builds from `schema.json`, say how to decode them. `Reader` decodes one response.

The reader accepts only the usual form of a response. For everything else it raises Slow, and the caller reads
the response with the Python reader, which alone reports errors and findings. Examples are an unknown element,
xsi:nil, a comment, a document type, another encoding than UTF-8, or a number in an unusual form.

The modules of soapclient use this module. It is not for users.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_Import
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, strcmp, strlen, strncmp
cimport cpython.datetime as c_datetime

import datetime as dt
import re
from decimal import Decimal

import pyexpat  # creates the capsule that is imported below

cdef extern from "struct_slots.h":
    Py_ssize_t slot_offset(object descriptor)
    object new_struct(object struct_type)
    PyObject* slot_value(object struct, Py_ssize_t offset)
    void set_slot(object struct, Py_ssize_t offset, object value)

cdef extern from "pyexpat_capsule.h":
    ctypedef void* expat_parser
    ctypedef void (*expat_on_start)(void*, const char*, const char**) noexcept
    ctypedef void (*expat_on_end)(void*, const char*) noexcept
    ctypedef void (*expat_on_text)(void*, const char*, int) noexcept
    ctypedef void (*expat_on_two)(void*, const char*, const char*) noexcept
    ctypedef void (*expat_on_doctype)(void*, const char*, const char*, const char*, int) noexcept
    ctypedef struct ExpatFunctions "struct expat_functions":
        char* magic
        int size
        int parse(expat_parser parser, const char* data, int length, int is_final)
        expat_parser create(const char* encoding, void* memory, const char* separator)
        void free(expat_parser parser)
        void set_user_data(expat_parser parser, void* data)
        void set_element_handler(expat_parser parser, expat_on_start on_start, expat_on_end on_end)
        void set_text_handler(expat_parser parser, expat_on_text on_text)
        void set_namespace_handler(expat_parser parser, expat_on_two on_start, expat_on_end on_end)
        void set_doctype_handler(expat_parser parser, expat_on_doctype on_start)
        void set_comment_handler(expat_parser parser, expat_on_end on_comment)
        void set_instruction_handler(expat_parser parser, expat_on_two on_instruction)
        int set_hash_salt(expat_parser parser, unsigned long salt)
    const char* EXPAT_CAPSULE
    const char* EXPAT_MAGIC

c_datetime.import_datetime()

INTERFACE = 1  # soapclient._support.speedups has the same number: increase both if the interface changes

cdef ExpatFunctions* EXPAT = <ExpatFunctions*>PyCapsule_Import(EXPAT_CAPSULE, 0)
if strcmp(EXPAT.magic, EXPAT_MAGIC) != 0 or EXPAT.size < <int>sizeof(ExpatFunctions):
    raise ImportError("this version of pyexpat has another interface")

cdef enum:
    MAX_DEPTH = 200           # open elements, from the response on; libxml2 allows 255
    MAX_TEXT = 1 << 20        # bytes of a text or an attribute
    FIRST_PIECE = 1 << 16     # bytes for expat at first: unusual documents are mostly noticed here
    MAX_PIECE = 1 << 18       # bytes for expat at once: it copies them, and these fit into the cache
    MAX_PROLOG = 256          # bytes before the root element


class Slow(Exception):
    """The compiled reader cannot read the response. The Python reader must read it."""


# ---- plans

cdef enum Kind:
    KIND_STRING = 0
    KIND_INTEGER = 1
    KIND_DECIMAL = 2
    KIND_FLOAT = 3
    KIND_DATE_TIME = 4
    KIND_DATE = 5
    KIND_BOOLEAN = 6
    KIND_ENUMERATION = 7
    KIND_PARSED = 8
    KIND_STRUCT = 9
    KIND_LIST = 10
    KIND_UNSUPPORTED = 11

STRING = KIND_STRING
INTEGER = KIND_INTEGER
DECIMAL = KIND_DECIMAL
FLOAT = KIND_FLOAT
DATE_TIME = KIND_DATE_TIME
DATE = KIND_DATE
BOOLEAN = KIND_BOOLEAN
ENUMERATION = KIND_ENUMERATION
PARSED = KIND_PARSED
STRUCT = KIND_STRUCT
LIST = KIND_LIST
UNSUPPORTED = KIND_UNSUPPORTED


cdef class Field:
    """An element or attribute, or the text of an element: its name, and how to decode its value.

    `tag` is the name as expat writes it (`namespace}name`). `kind` is one of the constants of this module:

    - INTEGER has the bounds `low` and `high`.
    - ENUMERATION has `members`: texts as bytes, and their values.
    - PARSED has `parse`, a function of the text. Every exception of the function means Slow.
    - STRUCT has `plan`. LIST has `item`, the field of the elements in the list's element.
    - UNSUPPORTED always means Slow.

    `repeats`: the element can occur several times, and its values are a list. `has_default`: the contract has
    a default value for an empty element.
    """

    cdef readonly bytes tag
    cdef readonly int kind
    cdef readonly bint repeats
    cdef readonly bint has_default
    cdef readonly dict members
    cdef readonly object parse
    cdef readonly Plan plan
    cdef readonly Field item
    cdef Py_ssize_t offset
    cdef long long low
    cdef long long high

    def __init__(self, bytes tag, int kind, *, bint repeats=False, bint has_default=False, long long low=0,
                 long long high=0, dict members=None, object parse=None, Plan plan=None, Field item=None):
        if (kind == KIND_STRUCT and plan is None or kind == KIND_LIST and item is None
                or kind == KIND_ENUMERATION and members is None):
            raise ValueError("a part of the field is missing")
        self.tag, self.kind, self.repeats, self.has_default = tag, kind, repeats, has_default
        self.offset = -1
        self.low, self.high, self.members, self.parse = low, high, members, parse
        self.plan, self.item = plan, item


cdef enum Absence:
    ABSENCE_VALUE = 0
    ABSENCE_FACTORY = 1
    ABSENCE_REQUIRED = 2

VALUE = ABSENCE_VALUE
FACTORY = ABSENCE_FACTORY
REQUIRED = ABSENCE_REQUIRED


cdef class Default:
    """The value of a field that is absent."""

    cdef Py_ssize_t offset
    cdef int absence
    cdef object value       # the value, or the function that creates it


cdef class Plan:
    """How to decode elements of one type into `struct_type`, a struct type of msgspec.

    `fill` is a function that gets the plan when it is first needed, and must call `define`. `is_complete` is True
    after that. `unsupported` is the reason if elements of this type cannot be read here; otherwise "".
    """

    cdef readonly object struct_type
    cdef readonly str unsupported
    cdef readonly bint is_complete
    cdef readonly tuple elements
    cdef readonly tuple attributes
    cdef readonly Field text
    cdef dict positions     # tag -> index in `elements`
    cdef list defaults
    cdef object fill

    def __init__(self, struct_type, fill):
        self.struct_type, self.fill = struct_type, fill
        self.unsupported, self.elements, self.attributes = "", (), ()
        self.positions, self.defaults = {}, []

    def define(self, list elements not None, list attributes not None, list texts not None,
               list defaults not None, str unsupported not None):
        """Complete the plan. Does nothing if it is complete, because several threads may do the same.

        - `elements`, in the order of the contract, and `attributes` are pairs of a name in Python and a `Field`.
          `texts` is an empty list, or has one pair for the text of the element.
        - `defaults`: for all fields, the name, how absence is treated, and a value. VALUE sets the value,
          FACTORY the result of calling it, and REQUIRED means Slow.
        - `unsupported`: a reason, or "".
        """
        cdef Field field
        cdef Default default
        if self.is_complete:
            return
        cdef dict offsets = {
            name: slot_offset(getattr(self.struct_type, name)) for name in self.struct_type.__struct_fields__
        }
        cdef dict positions = {}
        cdef list slots = []
        if min(offsets.values(), default=0) < 0:
            unsupported = unsupported or "fields without slots"
        for name, field in elements:
            if field.tag in positions:
                unsupported = unsupported or "several fields with the same element"
            positions[field.tag] = len(positions)
        for name, field in attributes + texts:
            if field.kind >= KIND_STRUCT:
                unsupported = unsupported or "an attribute or a text that is not a simple value"
        if len(texts) > 1 or texts and elements:
            unsupported = unsupported or "text and elements"
        for name, field in elements + attributes + texts:
            if field.offset >= 0:
                raise ValueError("the field belongs to another plan")
        for name, absence, value in defaults:
            default = Default.__new__(Default)
            default.offset, default.absence, default.value = offsets[name], absence, value
            slots.append(default)
        for name, field in elements + attributes + texts:
            field.offset = offsets[name]
        children = tuple([field for name, field in elements])
        attached = tuple([field for name, field in attributes])
        if self.is_complete:  # by another thread, while this one ran Python code, such as a finalizer
            return
        self.elements, self.attributes = children, attached
        self.text = texts[0][1] if texts else None
        self.positions, self.defaults, self.unsupported = positions, slots, unsupported
        self.is_complete = True

    def complete(self):
        """Call `fill`, unless the plan is complete."""
        if not self.is_complete:
            self.fill(self)
            if not self.is_complete:
                raise ValueError("the plan was not defined")


# ---- texts to values. A zero byte follows each text.

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


# ---- elements to structs

cdef Field field_of_child(Frame parent, const char* tag):
    """Return the field of a child element that begins. Mostly it is the expected one, or one of the next."""
    cdef tuple elements = parent.plan.elements
    cdef Field field
    cdef Py_ssize_t index, end = min(parent.next_element + 6, len(elements))
    for index in range(parent.next_element, end):
        field = elements[index]
        if strcmp(tag, PyBytes_AS_STRING(field.tag)) == 0:
            break
    else:
        position = parent.plan.positions.get(<bytes>tag)
        if position is None:
            raise Slow
        index = position
        field = elements[index]
    if not field.repeats and slot_value(parent.value, field.offset) is not NULL:
        raise Slow
    parent.next_element = index if field.repeats else index + 1
    return field


cdef int set_attribute(Plan plan, object struct, const char* tag, const char* text) except -1:
    cdef Field field
    cdef size_t length = strlen(text)
    if length > MAX_TEXT:
        raise Slow
    for field in plan.attributes:
        if strcmp(tag, PyBytes_AS_STRING(field.tag)) == 0:
            set_slot(struct, field.offset, decoded(field, text, <Py_ssize_t>length))
            return 0
    raise Slow


cdef int set_defaults(Plan plan, object struct) except -1:
    """Set the absent fields of a struct. Raises Slow if a required field is absent."""
    cdef Default default
    for default in plan.defaults:
        if slot_value(struct, default.offset) is NULL:
            if default.absence == ABSENCE_REQUIRED:
                raise Slow
            set_slot(struct, default.offset,
                     default.value() if default.absence == ABSENCE_FACTORY else default.value)
    return 0


cdef class Frame:
    """An open element."""

    cdef Field field        # None for the response
    cdef Plan plan          # if it is a struct
    cdef int kind
    cdef object value       # the struct or the list; None for simple values
    cdef Py_ssize_t next_element


cdef enum Stage:
    BEFORE_ENVELOPE
    IN_ENVELOPE
    IN_HEADER
    AFTER_HEADER
    IN_BODY
    IN_RESPONSE
    AFTER_RESPONSE
    AFTER_BODY
    AFTER_ENVELOPE


# Without a check, expat would also read UTF-16 without a byte order mark, and other declared encodings.
_is_usual_prolog = re.compile(
    rb"""(?:<\?xml version=(?:"1[.]0"|'1[.]0')(?: encoding=(?:"(?i:utf-8)"|'(?i:utf-8)'))?"""
    rb"""(?: standalone=(?:"(?:yes|no)"|'(?:yes|no)'))? ?\?>)?[ \r\n\t]*<[A-Za-z_]"""
).match
# libxml2 refuses namespaces that are not URIs, and some that are.
_is_usual_namespace = re.compile(
    r"https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._/-]*)?|urn:[A-Za-z][A-Za-z0-9._:/-]*"
).fullmatch
cdef const char* _XML = "http://www.w3.org/XML/1998/namespace}"
_SOAP = (b"http://schemas.xmlsoap.org/soap/envelope/}", b"http://www.w3.org/2003/05/soap-envelope}")


cdef class Reader:
    """Reader for one response: an envelope of SOAP 1.1 or 1.2 whose body is one element with the name `tag`.

    - `plan` decodes the element. `namespaces` are the namespaces of the contract.
    - `listed`: a field of `plan`. The items of this list are put into `items`, from where the caller can take
      them at any time; in `result`, the list is empty.

    `result` is the response, after everything has been read. `head` is the response as it was when the list
    began, or None if a required field is still missing. `list_began` is True from there on. `depth` is the number
    of open elements, from the response on.
    """

    cdef expat_parser parser
    cdef readonly object result
    cdef readonly object head
    cdef readonly list items
    cdef readonly bint list_began
    cdef readonly int depth
    cdef Plan plan
    cdef bytes tag
    cdef frozenset namespaces
    cdef Field listed
    cdef list frames        # of open elements, and behind them unused ones
    cdef Frame top
    cdef Stage stage
    cdef bytes envelope     # the namespace of the envelope
    cdef bytes prolog       # bytes that expat has not got yet; None after the check of the prolog
    cdef object error
    cdef bint is_reading
    cdef char* text
    cdef Py_ssize_t length
    cdef Py_ssize_t capacity

    def __cinit__(self, Plan plan not None, bytes tag not None, frozenset namespaces not None,
                  Field listed=None):
        plan.complete()
        if listed is not None and not any(field is listed for field in plan.elements):
            raise ValueError("the list is not a field of the plan")
        self.plan, self.tag, self.namespaces, self.listed = plan, tag, namespaces, listed
        self.frames, self.items, self.prolog = [], [], b""
        self.reserve(256)
        self.parser = EXPAT.create("UTF-8", NULL, "}")
        if self.parser is NULL:
            raise MemoryError
        EXPAT.set_hash_salt(self.parser, <unsigned long>(hash("soapclient") | 1))
        EXPAT.set_user_data(self.parser, <void*>self)
        EXPAT.set_element_handler(self.parser, on_start, on_end)
        EXPAT.set_text_handler(self.parser, on_text)
        EXPAT.set_namespace_handler(self.parser, on_namespace, NULL)
        EXPAT.set_doctype_handler(self.parser, on_doctype)
        EXPAT.set_comment_handler(self.parser, on_comment)
        EXPAT.set_instruction_handler(self.parser, on_instruction)

    def __dealloc__(self):
        if self.parser is not NULL:
            EXPAT.free(self.parser)
        free(self.text)

    def feed(self, bytes data not None, bint last=False):
        """Read the next bytes of the document. `last`: there are no further bytes.

        Raises Slow. The reader cannot be used any more then.
        """
        cdef Py_ssize_t start = 0, size, end
        if self.is_reading:
            raise RuntimeError("another thread uses this reader")
        if self.error is not None:
            raise self.error
        if self.prolog is not None:
            self.prolog += data
            if not _is_usual_prolog(self.prolog):
                if len(self.prolog) < MAX_PROLOG and not last:
                    return
                self.error = Slow()
                raise self.error
            data, self.prolog = self.prolog, None
        end = PyBytes_GET_SIZE(data)
        self.is_reading = True
        try:
            while True:
                size = min(end - start, MAX_PIECE if start else FIRST_PIECE)
                if not EXPAT.parse(self.parser, PyBytes_AS_STRING(data) + start, <int>size,
                                   last and start + size == end):
                    self.fail(Slow())
                if self.error is not None:
                    raise self.error
                start += size
                if start >= end:
                    break
                PyErr_CheckSignals()
                with nogil:  # lets other threads run
                    pass
            if last and self.stage != AFTER_ENVELOPE:
                self.error = Slow()
                raise self.error
        finally:
            self.is_reading = False

    cdef int fail(self, object error) except -1:
        """Stop reading. Expat cannot be stopped, but without handlers it is fast."""
        if self.error is None:
            self.error = error
        EXPAT.set_element_handler(self.parser, NULL, NULL)
        EXPAT.set_text_handler(self.parser, NULL)
        EXPAT.set_namespace_handler(self.parser, NULL, NULL)
        return 0

    cdef int reserve(self, Py_ssize_t size) except -1:
        """Make room for a text of `size` bytes and the zero byte that follows it."""
        cdef char* text
        if size >= self.capacity:
            text = <char*>realloc(self.text, size * 2)
            if text is NULL:
                raise MemoryError
            self.text, self.capacity = text, size * 2
        return 0

    # -- events of expat

    cdef int start(self, const char* tag, const char** attributes) except -1:
        cdef Frame parent = self.top
        cdef Field field
        if parent is None:
            return self.start_outside(<bytes>tag, attributes)
        if parent.kind == KIND_STRUCT:
            field = field_of_child(parent, tag)
        elif parent.kind == KIND_LIST:
            field = parent.field.item
            if strcmp(tag, PyBytes_AS_STRING(field.tag)) != 0:
                raise Slow
        else:  # an element inside a text
            raise Slow
        if self.depth == 1 and field is self.listed:
            self.begin_list(parent)
        return self.open(field, field.kind, field.plan, attributes)

    cdef int open(self, Field field, int kind, Plan plan, const char** attributes) except -1:
        cdef Frame frame
        if self.depth == len(self.frames):
            if self.depth == MAX_DEPTH:
                raise Slow
            self.frames.append(Frame.__new__(Frame))
        frame = self.frames[self.depth]
        self.depth += 1
        self.top = frame
        frame.field, frame.kind, frame.plan = field, kind, plan
        self.length = 0
        if kind == KIND_STRUCT:
            if not plan.is_complete:
                plan.complete()
            if plan.unsupported:
                raise Slow
            frame.value = new_struct(plan.struct_type)
            frame.next_element = 0
            while attributes[0] is not NULL:
                set_attribute(plan, frame.value, attributes[0], attributes[1])
                attributes += 2
        elif attributes[0] is not NULL or kind == KIND_UNSUPPORTED:
            raise Slow
        elif kind == KIND_LIST:
            frame.value = self.items if field is self.listed and self.depth == 2 else []
        return 0

    cdef int begin_list(self, Frame response) except -1:
        """Set `head` to a copy of the response with the fields before the list, if none is missing."""
        cdef Default default
        cdef PyObject* value
        if self.list_began:
            return 0
        self.list_began = True
        head = new_struct(self.plan.struct_type)
        if self.listed.kind == KIND_LIST:
            set_slot(head, self.listed.offset, [])
        for default in self.plan.defaults:
            value = slot_value(response.value, default.offset)
            if value is not NULL:
                field = <object>value
                set_slot(head, default.offset, field[:] if type(field) is list else field)
            elif default.absence == ABSENCE_REQUIRED and slot_value(head, default.offset) is NULL:
                return 0
        set_defaults(self.plan, head)
        self.head = head
        return 0

    cdef int end(self) except -1:
        cdef Frame frame = self.top, parent
        cdef Field field
        if frame is None:
            return self.end_outside()
        field = frame.field
        if frame.kind == KIND_STRUCT:
            if frame.plan.text is not None:
                self.text[self.length] = 0
                set_slot(frame.value, frame.plan.text.offset,
                         decoded(frame.plan.text, self.text, self.length))
                self.length = 0
            value = frame.value
            set_defaults(frame.plan, value)
        elif frame.kind == KIND_LIST:
            value = [] if frame.value is self.items else frame.value
        else:
            self.text[self.length] = 0
            value = decoded(field, self.text, self.length)
        frame.value = None
        self.depth -= 1
        if self.depth == 0:
            self.top, self.result, self.stage = None, value, AFTER_RESPONSE
            return 0
        parent = self.top = self.frames[self.depth - 1]
        if parent.kind == KIND_LIST:
            (<list>parent.value).append(value)
        elif not field.repeats:
            set_slot(parent.value, field.offset, value)
        elif field is self.listed and self.depth == 1:
            self.items.append(value)
        elif slot_value(parent.value, field.offset) is NULL:
            set_slot(parent.value, field.offset, [value])
        else:
            (<list>slot_value(parent.value, field.offset)).append(value)
        return 0

    cdef int characters(self, const char* text, int length) except -1:
        cdef Frame frame = self.top
        cdef int index
        if (frame is None or frame.kind == KIND_LIST
                or frame.kind == KIND_STRUCT and frame.plan.text is None):
            for index in range(length):
                if text[index] not in (c' ', c'\n', c'\t', c'\r'):
                    raise Slow
            return 0
        if self.length + length >= self.capacity:
            self.reserve(self.length + length)
        if self.length + length > MAX_TEXT:
            raise Slow
        memcpy(self.text + self.length, text, length)
        self.length += length
        return 0

    cdef int declare(self, const char* uri) except -1:
        """Check a namespace that is declared. NULL: the default namespace is removed (`xmlns=""`)."""
        if uri is NULL:
            return 0
        namespace = (<bytes>uri).decode()
        if namespace not in self.namespaces and (
                len(namespace) > 1000 or not _is_usual_namespace(namespace)):
            raise Slow
        return 0

    # -- outside of the response

    cdef int start_outside(self, bytes tag, const char** attributes) except -1:
        if self.stage == IN_BODY and tag == self.tag:
            self.stage = IN_RESPONSE
            return self.open(None, KIND_STRUCT, self.plan, attributes)
        while attributes[0] is not NULL:  # they are ignored; libxml2 checks the values of some `xml:` attributes
            if strncmp(attributes[0], _XML, strlen(_XML)) == 0:
                raise Slow
            attributes += 2
        if self.stage == BEFORE_ENVELOPE:
            self.envelope = tag.removesuffix(b"Envelope")
            if self.envelope not in _SOAP:
                raise Slow
            self.stage = IN_ENVELOPE
        elif self.stage == IN_ENVELOPE and tag == self.envelope + b"Header":
            self.stage = IN_HEADER
        elif self.stage in (IN_ENVELOPE, AFTER_HEADER) and tag == self.envelope + b"Body":
            self.stage = IN_BODY
        else:
            raise Slow
        return 0

    cdef int end_outside(self) except -1:
        if self.stage == IN_HEADER:
            self.stage = AFTER_HEADER
        elif self.stage == AFTER_RESPONSE:
            self.stage = AFTER_BODY
        elif self.stage == AFTER_BODY:
            self.stage = AFTER_ENVELOPE
        else:
            raise Slow
        return 0


# ---- callbacks: `data` is the reader. An exception is kept in it, and raised by `feed`.

cdef void on_start(void* data, const char* tag, const char** attributes) noexcept:
    try:
        (<Reader>data).start(tag, attributes)
    except BaseException as error:
        (<Reader>data).fail(error)


cdef void on_end(void* data, const char* tag) noexcept:
    try:
        (<Reader>data).end()
    except BaseException as error:
        (<Reader>data).fail(error)


cdef void on_text(void* data, const char* text, int length) noexcept:
    try:
        (<Reader>data).characters(text, length)
    except BaseException as error:
        (<Reader>data).fail(error)


cdef void on_namespace(void* data, const char* prefix, const char* uri) noexcept:
    try:
        (<Reader>data).declare(uri)
    except BaseException as error:
        (<Reader>data).fail(error)


cdef void on_doctype(void* data, const char* name, const char* system, const char* public, int inner) noexcept:
    (<Reader>data).fail(Slow())


cdef void on_comment(void* data, const char* text) noexcept:
    (<Reader>data).fail(Slow())


cdef void on_instruction(void* data, const char* target, const char* text) noexcept:
    (<Reader>data).fail(Slow())
