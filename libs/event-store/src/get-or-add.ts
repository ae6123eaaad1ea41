export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => NoInfer<Value>): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
