interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the stored value, or makes and stores a new one. */
export function getOrMake<Key, Value>(store: Store<Key, Value>, key: Key, make: () => Value): Value {
  let value = store.get(key);
  if (value === undefined) {
    value = make();
    store.set(key, value);
  }
  return value;
}
