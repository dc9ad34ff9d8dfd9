/*
 * schemas.sql
 *	  Schemas of items in their plain form, as DynamoDBDocumentClient and casts to jsonb have them:
 *	  for zod and as JSON Schema.
 */
CREATE FUNCTION dynamo_internal.client_zod() RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_build_object('options', '{"aws": true}'::jsonb, 'styles', '{"type": "pascal", "method": "camel", "field": "camel"}'::jsonb,
	'reserved', '{"type": ["Any", "Array", "Date", "Map", "Object", "Promise", "Set", "Uint8Array"], "method": [], "field": []}'::jsonb,
	'types', '{"text": "z.string()", "int": "z.number().int()", "bigint": "wholeNumber", "numeric": "exactNumber", "float": "z.number()", "bool": "z.boolean()",
		"binary": "z.instanceof(Uint8Array)", "any": "z.unknown()", "list": "z.union([z.array(%s), z.set(%s)])"}'::jsonb, 'inputs', '{}'::jsonb, 'codecs', '{}'::jsonb,
	'template', $template$// Schemas of the entities of the table @{table|line}, made by dynamo.generate_client(..., '@{language}').
// They are made anew when the model has changed: do not edit them.
/* eslint-disable */
import { z } from "zod";

/** The checksum of the model that these schemas know. */
export const MODEL_CHECKSUM = @{checksum|string};

/** A number; with wrapNumbers of DynamoDBDocumentClient, one with all of its digits. */
const exactNumber = z.union([z.number(), z.bigint(), z.object({ value: z.string() })]);
const wholeNumber = z.union([z.number().int(), z.bigint(), z.object({ value: z.string() })]);
@{#entities}

/** Items of the entity @{name|comment}, as they are read. */
export const @{type_} = z.object({
@{#type}
    [@{type_attribute|string}]: z.literal(@{type_value|string}),
@{/type}
@{#attributes}
    /** @{notes|comment} */
    [@{name|string}]: @{#has_enum}z.enum([@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}])@{/has_enum}@{^has_enum}@{type}@{/has_enum}@{^present}.optional()@{/present},
@{/attributes}
});
export type @{type_} = z.infer<typeof @{type_}>;

/** What is given to put one. */
export const @{type_input} = z.object({
@{#type}
    [@{type_attribute|string}]: z.literal(@{type_value|string}),
@{/type}
@{#writable}
    [@{name|string}]: @{#has_enum}z.enum([@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}])@{/has_enum}@{^has_enum}@{type}@{/has_enum}@{^given}.optional()@{/given},
@{/writable}
});
export type @{type_input} = z.infer<typeof @{type_input}>;

/** Its key, by its parts. */
export const @{type_key} = z.object({
@{#type}
    [@{type_attribute|string}]: z.literal(@{type_value|string}),
@{/type}
@{#key}
    [@{name|string}]: @{#has_enum}z.enum([@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}])@{/has_enum}@{^has_enum}@{type}@{/has_enum},
@{/key}
});
export type @{type_key} = z.infer<typeof @{type_key}>;
@{/entities}
$template$);
END;
COMMENT ON FUNCTION dynamo_internal.client_zod() IS 'returns the data and the template of schemas for zod';

CREATE FUNCTION dynamo_internal.client_json_schema() RETURNS jsonb
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
SELECT jsonb_build_object('options', '{"aws": true}'::jsonb, 'styles', '{"type": "pascal", "method": "camel", "field": "camel"}'::jsonb,
	'reserved', '{"type": [], "method": [], "field": []}'::jsonb,
	'types', $json${"text": "{\"type\": \"string\"}", "int": "{\"type\": \"integer\"}", "bigint": "{\"type\": \"integer\"}", "numeric": "{\"type\": \"number\"}", "float": "{\"type\": \"number\"}",
		"bool": "{\"type\": \"boolean\"}", "binary": "{\"type\": \"string\", \"contentEncoding\": \"base64\"}", "any": "{}", "list": "{\"type\": \"array\", \"items\": %s}"}$json$::jsonb,
	'inputs', '{}'::jsonb, 'codecs', '{}'::jsonb,
	'template', $template${
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$comment": @{comment|string},
  "title": @{table|string},
  "$defs": {
@{#entities}
    @{type_|string}: {
      "title": @{name|string},
      "type": "object",
      "properties": {
@{#type}
        @{type_attribute|string}: {"const": @{type_value|string}}@{#attributes}@{#-last},@{/-last}@{/attributes}
@{/type}
@{#attributes}
        @{name|string}: @{#has_enum}{"enum": [@{#enum}@{.|string}@{^-last}, @{/-last}@{/enum}]}@{/has_enum}@{^has_enum}@{type}@{/has_enum}@{^-last},@{/-last}
@{/attributes}
      },
      "required": [@{#required}@{.|string}@{^-last}, @{/-last}@{/required}]
    }@{^-last},@{/-last}
@{/entities}
  },
  "oneOf": [
@{#entities}
    {"$ref": @{ref|string}}@{^-last},@{/-last}
@{/entities}
  ]
}
$template$);
END;
COMMENT ON FUNCTION dynamo_internal.client_json_schema() IS 'returns the data and the template of a JSON Schema';
