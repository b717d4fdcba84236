/* The functions of Python's own expat that pyexpat offers to other extension modules.

   CPython declares them in pyexpat.h, which includes expat.h. No installation of Python has that file, so the part
   that is used here is declared again. CPython appends new members only at the end of the structure. */
#ifndef SOAPCLIENT_PYEXPAT_CAPSULE_H
#define SOAPCLIENT_PYEXPAT_CAPSULE_H

#define EXPAT_CAPSULE "pyexpat.expat_CAPI"
#define EXPAT_MAGIC "pyexpat.expat_CAPI 1.1"

typedef struct XML_ParserStruct *expat_parser;
typedef void (*expat_unused)(void);
typedef void (*expat_on_start)(void *, const char *, const char **);
typedef void (*expat_on_end)(void *, const char *);
typedef void (*expat_on_text)(void *, const char *, int);
typedef void (*expat_on_two)(void *, const char *, const char *);
typedef void (*expat_on_doctype)(void *, const char *, const char *, const char *, int);

struct expat_functions {
    char *magic;
    int size, major_version, minor_version, micro_version;
    expat_unused error_string, error_code, error_column, error_line;
    int (*parse)(expat_parser, const char *, int, int);
    expat_parser (*create)(const char *, void *, const char *);
    void (*free)(expat_parser);
    void (*set_text_handler)(expat_parser, expat_on_text);
    void (*set_comment_handler)(expat_parser, expat_on_end);
    expat_unused set_default_handler;
    void (*set_element_handler)(expat_parser, expat_on_start, expat_on_end);
    void (*set_namespace_handler)(expat_parser, expat_on_two, expat_on_end);
    void (*set_instruction_handler)(expat_parser, expat_on_two);
    expat_unused set_unknown_encoding_handler;
    void (*set_user_data)(expat_parser, void *);
    void (*set_doctype_handler)(expat_parser, expat_on_doctype);
    expat_unused set_encoding, default_unknown_encoding_handler;
    int (*set_hash_salt)(expat_parser, unsigned long);
};

#endif
