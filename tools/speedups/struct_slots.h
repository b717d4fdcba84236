/* Read and set the fields of msgspec structs directly, by the offsets of their slots. */
#ifndef SOAPCLIENT_STRUCT_SLOTS_H
#define SOAPCLIENT_STRUCT_SLOTS_H

#include <Python.h>
#include <structmember.h>

/* The offset of the slot behind a member descriptor, or -1 if it is not a slot for an object. */
static Py_ssize_t slot_offset(PyObject *descriptor)
{
    if (!PyObject_TypeCheck(descriptor, &PyMemberDescr_Type))
        return -1;
    PyMemberDef *member = ((PyMemberDescrObject *)descriptor)->d_member;
    return member->type == T_OBJECT_EX ? (Py_ssize_t)member->offset : -1;
}

/* A new struct without values: all slots are NULL. */
static PyObject *new_struct(PyObject *type)
{
    return PyType_GenericAlloc((PyTypeObject *)type, 0);
}

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

/* The value of a slot as a borrowed reference, or NULL. */
static PyObject *slot_value(PyObject *object, Py_ssize_t offset)
{
    return SLOT(object, offset);
}

/* Set a slot. A value that it has already is released. */
static void set_slot(PyObject *object, Py_ssize_t offset, PyObject *value)
{
    PyObject *previous = SLOT(object, offset);
    Py_INCREF(value);
    SLOT(object, offset) = value;
    Py_XDECREF(previous);
}

#endif
