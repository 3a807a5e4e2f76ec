/** Caches the results of a function by its argument, as long as that object exists. */
export function oncePerObject<Key extends WeakKey, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
