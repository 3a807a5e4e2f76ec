import type { WireFormat } from "../../src/wire/formats.ts";

/** Returns what providers refuse according to their documentation and responses, one sentence per fault. */
export function faultsOf(format: WireFormat, tool: unknown): readonly string[] {
  const wire = tool as Wire;
  switch (format) {
    case "openai":
      return wire.type === "custom" ? faultsInCustom(wire) : faultsInFunction(wire);
    case "openai-chat":
      return [...nameFaults(wire.function!.name, 64), ...faultsInRoot(wire.function!.parameters!)];
    case "anthropic":
      return wire.type ? nativeFaults(wire) : faultsForAnthropic(wire);
    case "gemini":
      return [
        ...nameFaults(wire.name, 64, /^[A-Za-z_][\w.:-]*$/),
        ...(wire.parameters ? geminiFaults(wire.parameters, "parameters") : []),
      ];
    case "mcp":
      return [
        ...nameFaults(wire.name, 128),
        ...faultsInRoot(wire.inputSchema!),
        ...inspectorFaults(wire.inputSchema!, "arguments"),
        ...(wire.title ? [] : ["no title"]),
      ];
    case "ai-sdk":
      return [...nameFaults(wire.name, 128), ...faultsInRoot(wire.inputSchema!)];
  }
}

/** The warnings of the MCP Inspector with --strict. */
function inspectorFaults(schema: Schema, at: string): string[] {
  const { type, additionalProperties: others } = schema;
  const isAny = typeof others === "object" && others !== null && Object.keys(others).length === 0;
  return [
    ...(Array.isArray(type) ? [`${at}: a list of types`] : []),
    ...(isAny ? [`${at}: additionalProperties {}`] : []),
    ...innerFaults(schema, at, inspectorFaults),
  ];
}

interface Wire {
  type?: string;
  name: string;
  title?: string;
  description?: string;
  strict?: boolean;
  parameters?: Schema;
  inputSchema?: Schema;
  input_schema?: Schema;
  function?: Wire;
  format?: { type: string; syntax: string; definition: string };
}

type Schema = {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

function nameFaults(name: string, longest: number, form = /^[a-zA-Z0-9_-]+$/): string[] {
  return form.test(name) && name.length <= longest ? [] : [`name ${name}`];
}

function faultsInRoot(schema: Schema): string[] {
  const isObject = schema.type === "object" && typeof schema.properties === "object";
  return isObject && !schema.anyOf && !schema.oneOf ? [] : ["arguments are no object"];
}

function faultsInCustom({ name, format }: Wire): string[] {
  const isLark =
    format?.type === "grammar" && format.syntax === "lark" && format.definition.startsWith("start:");
  return [...nameFaults(name, 64), ...(isLark ? [] : ["no grammar"])];
}

function faultsInFunction({ name, parameters, strict }: Wire): string[] {
  return [
    ...nameFaults(name, 64),
    ...faultsInRoot(parameters!),
    ...(strict ? strictFaults(parameters!, "parameters") : []),
  ];
}

const strictKeywords = new Set([
  ...["type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum"],
]);

function strictFaults(schema: Schema, at: string, depth = 1): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !strictKeywords.has(keyword));
  const properties = Object.entries(schema.properties ?? {});
  const isOpen = schema.type === "object" && schema.additionalProperties !== false;
  const optional = properties.filter(([name]) => !schema.required?.includes(name));
  return [
    ...unknown.map((keyword) => `${at}: ${keyword}`),
    ...(depth > 10 ? [`${at}: too deep`] : []),
    ...(isOpen ? [`${at}: open`] : []),
    ...(schema.type === undefined && !schema.anyOf ? [`${at}: no type`] : []),
    ...(schema.type === "array" && !schema.items ? [`${at}: no items`] : []),
    ...optional.map(([name]) => `${at}.${name}: not required`),
    ...innerFaults(schema, at, (inner, where) => strictFaults(inner, where, depth + 1)),
  ];
}

function faultsForAnthropic({ name, input_schema: schema }: Wire): string[] {
  const names = Object.keys(schema!.properties ?? {});
  return [
    ...nameFaults(name, 128),
    ...faultsInRoot(schema!),
    ...names.filter((property) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(property)),
  ];
}

function nativeFaults({ type, name, ...rest }: Wire): string[] {
  const names: Record<string, string> = {
    bash_20250124: "bash",
    text_editor_20250728: "str_replace_based_edit_tool",
  };
  const others = Object.keys(rest).filter((key) => key !== "max_characters");
  return [...(names[type!] === name ? [] : [`${type} is not called ${name}`]), ...others];
}

const geminiKeywords = new Set([
  ...["type", "description", "nullable", "enum", "format", "items", "properties", "required", "anyOf"],
]);
const geminiTypes = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"]);

function geminiFaults(schema: Schema, at: string): string[] {
  const keywords = Object.keys(schema);
  const names = Object.keys(schema.properties ?? {});
  const isChoice = schema.anyOf !== undefined;
  return [
    ...keywords.filter((keyword) => !geminiKeywords.has(keyword)).map((keyword) => `${at}: ${keyword}`),
    ...(isChoice && keywords.length > 1 ? [`${at}: something beside anyOf`] : []),
    ...(!isChoice && !geminiTypes.has(schema.type as string) ? [`${at}: type ${schema.type}`] : []),
    ...(schema.type === "OBJECT" && names.length === 0 ? [`${at}: an object of nothing`] : []),
    ...(schema.type === "ARRAY" && !schema.items ? [`${at}: no items`] : []),
    ...(schema.enum && schema.type !== "STRING" ? [`${at}: values that are no text`] : []),
    ...names.filter((name) => !/^[A-Za-z_]\w{0,63}$/.test(name)).map((name) => `${at}: named ${name}`),
    ...(schema.required ?? []).filter((name) => !names.includes(name)).map((name) => `${at}: no ${name}`),
    ...innerFaults(schema, at, geminiFaults),
  ];
}

function innerFaults(schema: Schema, at: string, faults: (inner: Schema, at: string) => string[]): string[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => faults(inner, `${at}.${name}`)),
    ...(schema.items ? faults(schema.items, `${at}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((inner, index) => faults(inner, `${at}|${index}`)),
  ];
}
