import { printable, printableLine } from "../../lib/text/printable.ts";
import { badMessage } from "./message.ts";

/** Checks a value of the other side, and returns it with its type. Unknown fields are left out. `at` names the field in errors. */
export type Shape<Value> = (value: unknown, at: string) => Value;

export type Shaped<Of> = Of extends Shape<infer Value> ? Value : never;

export const text: Shape<string> = textUpTo(64 * 1024);

export function textUpTo(maxLength: number): Shape<string> {
  return (value, at) => {
    if (typeof value !== "string" || value.length > maxLength) throw badMessage(`${at} is not a text`);
    return value;
  };
}

/** A text for users and models. It cannot control a terminal. */
export const shown: Shape<string> = (value, at) => printable(text(value, at));

/** A short text of one line for users and models. */
export const shownLine: Shape<string> = (value, at) => printableLine(textUpTo(100)(value, at));

export const yesOrNo: Shape<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw badMessage(`${at} is not true or false`);
  return value;
};

/** A whole number that is not negative. */
export const count: Shape<number> = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw badMessage(`${at} is not a count`);
  return value as number;
};

export const number: Shape<number> = (value, at) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw badMessage(`${at} is not a number`);
  return value;
};

export const bytes: Shape<Uint8Array> = (value, at) => {
  if (!(value instanceof Uint8Array)) throw badMessage(`${at} is not bytes`);
  return value;
};

export const numbers: Shape<Float64Array> = (value, at) => {
  if (!(value instanceof Float64Array)) throw badMessage(`${at} is not a list of numbers`);
  return value;
};

export const nothing: Shape<undefined> = () => undefined;

export function oneOf<const Value extends string>(...values: readonly Value[]): Shape<Value> {
  return (value, at) => {
    if (!values.includes(value as Value)) throw badMessage(`${at} is unknown`);
    return value as Value;
  };
}

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value, at) => (value === undefined || value === null ? undefined : shape(value, at));
}

export function either<One, Other>(one: Shape<One>, other: Shape<Other>): Shape<One | Other> {
  return (value, at) => {
    try {
      return one(value, at);
    } catch {
      return other(value, at);
    }
  };
}

export function list<Value>(shape: Shape<Value>, maxLength = 1_000_000): Shape<readonly Value[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length > maxLength) throw badMessage(`${at} is not a list`);
    return value.map((item) => shape(item, at));
  };
}

export function table<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (value, at) => {
    if (!isFields(value)) throw badMessage(`${at} is not an object`);
    // Not an object literal: a key could be "__proto__".
    const copied: Record<string, Value> = Object.create(null);
    for (const [key, item] of Object.entries(value)) copied[key] = shape(item, at);
    return copied;
  };
}

export function object<const Fields extends Readonly<Record<string, Shape<unknown>>>>(
  fields: Fields,
): Shape<ObjectOf<Fields>> {
  const entries = Object.entries(fields);
  return (value, at) => {
    if (!isFields(value)) throw badMessage(`${at} is not an object`);
    const copied: Record<string, unknown> = {};
    for (const [name, shape] of entries) {
      const field = shape(Object.hasOwn(value, name) ? value[name] : undefined, name);
      if (field !== undefined) copied[name] = field;
    }
    return copied as ObjectOf<Fields>;
  };
}

type ObjectOf<Fields extends Readonly<Record<string, Shape<unknown>>>> = {
  readonly [Name in keyof Fields as undefined extends Shaped<Fields[Name]> ? never : Name]: Shaped<
    Fields[Name]
  >;
} & {
  readonly [Name in keyof Fields as undefined extends Shaped<Fields[Name]> ? Name : never]?: Shaped<
    Fields[Name]
  >;
};

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
