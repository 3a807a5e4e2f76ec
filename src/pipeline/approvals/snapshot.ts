/**
 * A copy that nobody else can change any more: what is judged, shown and hashed is what will run. Texts are never
 * copied, so that it costs little. What is neither plain object nor list is the tool's own kind of value and stays.
 */
export function snapshot<Value>(value: Value): Value;
export function snapshot(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => snapshot(item));
  if (value instanceof Uint8Array) return value.slice();
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, snapshot(item)]));
}
