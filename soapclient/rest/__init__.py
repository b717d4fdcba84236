"""The REST protocol: the service's resources, over XML or JSON, with the same types as SOAP's.

Answers of both forms become trees that the generated decoders read: XML as lxml has it, JSON by
`json_tree`. What the JSON form leaves open (docs/explanation/service.md#json, #partner-codes) is settled by
`reshape` and `tolerant`.
"""
