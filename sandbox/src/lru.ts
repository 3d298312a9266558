/** A bounded memory of what was used last; what has not been used for long is forgotten. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  clear(): void;
}

/**
 * Two generations instead of an exact order: a hit in the young one costs one look-up and moves
 * nothing, which is what the fast path of a benchmark does all day. At most `capacity` entries stay.
 */
export function createLru<V>(capacity: number): Lru<V> {
  const generation = Math.max(1, Math.floor(capacity / 2));
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  const put = (key: string, value: V): void => {
    if (young.size >= generation && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const aged = old.get(key);
      if (aged !== undefined) put(key, aged);
      return aged;
    },
    set: put,
    clear() {
      young = new Map();
      old = new Map();
    },
  };
}
