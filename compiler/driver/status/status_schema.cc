#include "driver/status/status_json.h"

namespace trainyard {

std::string_view job_status_schema() {
  return R"({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "What trainyard status prints with --output json",
  "description": "A change after which readers have to change raises the version. Texts that nothing is known of are empty. Times are RFC 3339.",
  "type": "object",
  "required": ["version", "diagnostics", "now", "jobs"],
  "properties": {
    "version": {"const": 1},
    "diagnostics": {"description": "As `trainyard schema export Report` says.", "type": "array"},
    "now": {"description": "The newest time in the dump, from which ages count.", "type": "string"},
    "jobs": {"description": "By namespace and name.", "type": "array", "items": {"$ref": "#/definitions/job"}}
  },
  "definitions": {
    "phase": {"enum": ["pending", "suspended", "running", "restarting", "ending", "succeeded", "failing", "failed"]},
    "number": {"type": "integer", "minimum": 0},
    "position": {"description": "Null where it is not known.", "type": ["integer", "null"]},
    "job": {
      "type": "object",
      "required": ["kind", "group", "namespace", "name", "created", "phase", "since", "decidedBy", "reason", "message", "notes", "queues", "pods", "roles", "events", "finding"],
      "additionalProperties": false,
      "properties": {
        "kind": {"type": "string"},
        "group": {"type": "string"},
        "namespace": {"type": "string"},
        "name": {"type": "string"},
        "created": {"type": "string"},
        "phase": {"$ref": "#/definitions/phase"},
        "since": {"description": "When the phase began.", "type": "string"},
        "decidedBy": {"description": "What in the status tells the phase.", "type": "string"},
        "reason": {"type": "string"},
        "message": {"type": "string"},
        "notes": {"description": "What contradicts the phase, or is missing.", "type": "array", "items": {"type": "string"}},
        "queues": {"description": "What holds it for a queue.", "type": "array", "items": {"$ref": "#/definitions/queue"}},
        "pods": {
          "type": "object",
          "required": ["wanted", "running", "succeeded", "failed", "restarts"],
          "additionalProperties": false,
          "properties": {
            "wanted": {"$ref": "#/definitions/number"},
            "running": {"$ref": "#/definitions/number"},
            "succeeded": {"$ref": "#/definitions/number"},
            "failed": {"$ref": "#/definitions/number"},
            "restarts": {"description": "Of containers, and of the job where its status counts them.", "type": "integer"}
          }
        },
        "roles": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["name", "pods"],
            "additionalProperties": false,
            "properties": {
              "name": {"description": "Empty where the pods have no role.", "type": "string"},
              "pods": {"type": "array", "items": {"$ref": "#/definitions/pod"}}
            }
          }
        },
        "events": {"description": "Each text once, the newest first.", "type": "array", "items": {"$ref": "#/definitions/event"}},
        "finding": {
          "description": "What `trainyard diagnose` says first; null for nothing.",
          "type": ["object", "null"],
          "required": ["id", "class", "certainty", "message"],
          "additionalProperties": false,
          "properties": {
            "id": {"type": "string"},
            "class": {"enum": ["program", "configuration", "capacity", "platform", "hardware", "unknown"]},
            "certainty": {"enum": ["certain", "likely", "possible"]},
            "message": {"type": "string"}
          }
        }
      }
    },
    "queue": {
      "type": "object",
      "required": ["kind", "object", "name", "clusterQueue", "phase", "admitted", "position", "message", "flavors"],
      "additionalProperties": false,
      "properties": {
        "kind": {"type": "string"},
        "object": {"description": "The name of the object.", "type": "string"},
        "name": {"description": "Of the queue.", "type": "string"},
        "clusterQueue": {"description": "Of Kueue, once it is admitted.", "type": "string"},
        "phase": {"$ref": "#/definitions/phase"},
        "admitted": {"description": "When.", "type": "string"},
        "position": {"$ref": "#/definitions/position"},
        "message": {"description": "What is missing, in the words of the queue.", "type": "string"},
        "flavors": {"type": "array", "items": {"type": "string"}}
      }
    },
    "pod": {
      "type": "object",
      "required": ["name", "rank", "node", "state", "phase", "restarts", "since", "containers"],
      "additionalProperties": false,
      "properties": {
        "name": {"type": "string"},
        "rank": {"$ref": "#/definitions/position"},
        "node": {"type": "string"},
        "state": {"description": "As kubectl's column STATUS.", "type": "string"},
        "phase": {"type": "string"},
        "restarts": {"type": "integer"},
        "since": {"description": "When its state began.", "type": "string"},
        "containers": {"type": "array", "items": {"$ref": "#/definitions/container"}}
      }
    },
    "container": {
      "type": "object",
      "required": ["name", "init", "state", "reason", "message", "exitCode", "restarts", "since"],
      "additionalProperties": false,
      "properties": {
        "name": {"type": "string"},
        "init": {"type": "boolean"},
        "state": {"enum": ["running", "waiting", "terminated", ""]},
        "reason": {"type": "string"},
        "message": {"type": "string"},
        "exitCode": {"description": "Of this run, else of the one before.", "type": ["integer", "null"]},
        "restarts": {"type": "integer"},
        "since": {"type": "string"}
      }
    },
    "event": {
      "type": "object",
      "required": ["type", "reason", "message", "time", "object", "objects", "count"],
      "additionalProperties": false,
      "properties": {
        "type": {"type": "string"},
        "reason": {"type": "string"},
        "message": {"type": "string"},
        "time": {"description": "Of the last one.", "type": "string"},
        "object": {"description": "The first that it is about.", "type": "string"},
        "objects": {"description": "How many it is about.", "type": "integer"},
        "count": {"type": "integer"}
      }
    }
  }
}
)";
}

}  // namespace trainyard
