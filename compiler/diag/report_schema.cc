#include "diag/render.h"

namespace trainyard {

std::string_view report_schema() {
  return R"({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "What trainyard prints with --output json",
  "description": "Commands add members of their own, such as documents or manifests, which their help tells. A change after which readers have to change raises the version.",
  "type": "object",
  "required": ["version", "diagnostics"],
  "properties": {
    "version": {"const": 1},
    "diagnostics": {
      "description": "In the order of files and lines.",
      "type": "array",
      "items": {"$ref": "#/definitions/diagnostic"}
    }
  },
  "definitions": {
    "diagnostic": {
      "type": "object",
      "required": ["kind", "check", "severity", "effect", "message", "path", "label", "labels", "notes", "fixes", "file", "start", "end"],
      "additionalProperties": false,
      "properties": {
        "kind": {"description": "A name of `trainyard list diagnostics`.", "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "check": {"description": "A name of `trainyard list checks`, null for what none of them found.", "type": ["string", "null"], "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "severity": {"enum": ["error", "warning", "note"]},
        "effect": {"enum": ["refused", "never-runs", "runs-wrong", "risky", "style"]},
        "message": {"type": "string", "minLength": 1},
        "path": {"description": "The field that is meant, empty for none.", "type": "string"},
        "label": {"description": "What the place is, empty for none.", "type": "string"},
        "labels": {
          "description": "Other places that explain it.",
          "type": "array",
          "items": {
            "type": "object",
            "required": ["text", "file", "start", "end"],
            "additionalProperties": false,
            "properties": {
              "text": {"type": "string"},
              "file": {"$ref": "#/definitions/file"},
              "start": {"$ref": "#/definitions/position"},
              "end": {"$ref": "#/definitions/position"}
            }
          }
        },
        "notes": {"type": "array", "items": {"type": "string"}},
        "fixes": {
          "description": "What very likely was meant: the text between start and end is replaced.",
          "type": "array",
          "items": {
            "type": "object",
            "required": ["text", "replacement", "file", "start", "end"],
            "additionalProperties": false,
            "properties": {
              "text": {"type": "string"},
              "replacement": {"type": "string"},
              "file": {"$ref": "#/definitions/file"},
              "start": {"$ref": "#/definitions/position"},
              "end": {"$ref": "#/definitions/position"}
            }
          }
        },
        "file": {"$ref": "#/definitions/file"},
        "start": {"$ref": "#/definitions/position"},
        "end": {"$ref": "#/definitions/position"}
      }
    },
    "file": {"description": "Null for what no file says.", "type": ["string", "null"]},
    "position": {
      "type": ["object", "null"],
      "required": ["line", "column", "offset"],
      "additionalProperties": false,
      "properties": {
        "line": {"description": "From 1 on.", "type": "integer", "minimum": 1},
        "column": {"description": "In characters, from 1 on.", "type": "integer", "minimum": 1},
        "offset": {"description": "In bytes, from 0 on.", "type": "integer", "minimum": 0}
      }
    }
  }
}
)";
}

}  // namespace trainyard
