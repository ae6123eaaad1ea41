/** Assigning `__proto__` would replace the prototype. */
export function setMember<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
