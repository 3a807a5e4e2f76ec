/** A schema of zod 4, Valibot, ArkType or another library that follows https://standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** The JSON Schema of the schema, where the library gives one. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
      | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The type of the values that a schema accepts. `unknown` for keywords of JSON Schema that have no type. */
export type InferSchema<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromJsonSchema<Schema>;

type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: "object" }
      ? FromObject<Schema>
      : Schema extends { readonly type: "array"; readonly items: infer Items }
        ? readonly FromJsonSchema<Items>[]
        : Schema extends { readonly type: infer Type extends keyof PlainTypes }
          ? PlainTypes[Type]
          : unknown;

interface PlainTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
  readonly array: readonly unknown[];
}

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Schema extends { readonly required: readonly (infer Required)[] }
    ? { readonly [Name in Extract<keyof Properties, Required>]: FromJsonSchema<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, Required>]?: FromJsonSchema<Properties[Name]> | undefined;
      }
    : { readonly [Name in keyof Properties]?: FromJsonSchema<Properties[Name]> | undefined }
  : Readonly<Record<string, unknown>>;
