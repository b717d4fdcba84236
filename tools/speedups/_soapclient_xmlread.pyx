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
cimport cython

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

INTERFACE = 2  # soapclient._support.speedups has the same number: increase both if the interface changes

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


include "plans.pxi"
include "values.pxi"
include "xml_reader.pxi"
include "json_reader.pxi"
