import type * as mini from "zod/mini";
import {
  _default,
  array,
  boolean,
  describe,
  enum as enumeration,
  int,
  literal,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullable,
  number,
  optional,
  record,
  refine,
  regex,
  strictObject,
  string,
  union,
  unknown,
} from "zod/mini";

/** What dialects describe arguments with. The whole of `zod/mini` brings the words of fifty languages. */
export type Describing = Pick<
  typeof mini,
  | "_default"
  | "array"
  | "boolean"
  | "describe"
  | "enum"
  | "int"
  | "literal"
  | "maximum"
  | "maxLength"
  | "minimum"
  | "minLength"
  | "nullable"
  | "number"
  | "optional"
  | "record"
  | "refine"
  | "regex"
  | "strictObject"
  | "string"
  | "union"
  | "unknown"
>;

export const zod: Describing = {
  _default,
  array,
  boolean,
  describe,
  enum: enumeration,
  int,
  literal,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullable,
  number,
  optional,
  record,
  refine,
  regex,
  strictObject,
  string,
  union,
  unknown,
};
