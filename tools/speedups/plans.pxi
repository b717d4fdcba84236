# Plans: how to decode the types of a package. Included by _soapclient_xmlread.pyx.

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


@cython.final
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
    cdef bytes key          # the name in JSON
    cdef Py_ssize_t offset
    cdef long long low
    cdef long long high

    def __init__(self, bytes tag, int kind, *, bint repeats=False, bint has_default=False, long long low=0,
                 long long high=0, dict members=None, object parse=None, Plan plan=None, Field item=None):
        if (kind == KIND_STRUCT and plan is None or kind == KIND_LIST and item is None
                or kind == KIND_ENUMERATION and members is None):
            raise ValueError("a part of the field is missing")
        self.tag, self.kind, self.repeats, self.has_default = tag, kind, repeats, has_default
        self.key = tag.rpartition(b"}")[2]
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


@cython.final
cdef class Default:
    """The value of a field that is absent."""

    cdef Py_ssize_t offset
    cdef int absence
    cdef object value       # the value, or the function that creates it


@cython.final
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
    cdef tuple members      # all fields, in the order of JSON: elements, attributes, text
    cdef dict keys          # name in JSON -> index in `members`; None if JSON is not supported: if two fields
                            # have the same name, or an attribute has a namespace
    cdef list defaults
    cdef object fill

    def __init__(self, struct_type, fill):
        self.struct_type, self.fill = struct_type, fill
        self.unsupported, self.elements, self.attributes = "", (), ()
        self.positions, self.defaults, self.members, self.keys = {}, [], (), None

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
        cdef bint has_keys = True
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
        for name, field in attributes:
            has_keys = has_keys and b"}" not in field.tag
            field.key = b"@" + field.key
        for name, field in texts:
            field.key = b"$"
        members = tuple([field for name, field in elements + attributes + texts])
        keys = {(<Field>field).key: index for index, field in enumerate(members)}
        if self.is_complete:  # by another thread, while this one ran Python code, such as a finalizer
            return
        self.elements, self.attributes, self.members = children, attached, members
        self.keys = keys if has_keys and len(keys) == len(members) else None
        self.text = texts[0][1] if texts else None
        self.positions, self.defaults, self.unsupported = positions, slots, unsupported
        self.is_complete = True

    def complete(self):
        """Call `fill`, unless the plan is complete."""
        if not self.is_complete:
            self.fill(self)
            if not self.is_complete:
                raise ValueError("the plan was not defined")
