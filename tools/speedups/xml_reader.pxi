# The reader for XML: `Reader`. Included by _soapclient_xmlread.pyx.

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


@cython.final
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


@cython.final
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
#
# With a `try` block in each of them, reading a response would take 2 % longer. Instead, the functions `start`,
# `end` and `characters` return -1 if they have set an exception. The callbacks call them through `noexcept`
# pointers, so that Cython adds no error handling, and check for -1 themselves. `keep_error` must follow at
# once, because no exception may be set when expat calls the next callback.

ctypedef int (*start_noexcept)(Reader, const char*, const char**) noexcept
ctypedef int (*end_noexcept)(Reader) noexcept
ctypedef int (*text_noexcept)(Reader, const char*, int) noexcept


cdef int start(Reader reader, const char* tag, const char** attributes) except -1:
    return reader.start(tag, attributes)


cdef int end(Reader reader) except -1:
    return reader.end()


cdef int characters(Reader reader, const char* text, int length) except -1:
    return reader.characters(text, length)


cdef int raised() except -1:
    """Raise the exception that is set already."""
    return -1


cdef void keep_error(Reader reader) noexcept:
    try:
        raised()
    except BaseException as error:
        reader.fail(error)


cdef void on_start(void* data, const char* tag, const char** attributes) noexcept:
    if (<start_noexcept>start)(<Reader>data, tag, attributes) == -1:
        keep_error(<Reader>data)


cdef void on_end(void* data, const char* tag) noexcept:
    if (<end_noexcept>end)(<Reader>data) == -1:
        keep_error(<Reader>data)


cdef void on_text(void* data, const char* text, int length) noexcept:
    if (<text_noexcept>characters)(<Reader>data, text, length) == -1:
        keep_error(<Reader>data)


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
