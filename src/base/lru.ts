/** A bounded map: when full, what was not used for long makes room. */
export interface Lru<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
  entries(): IterableIterator<[Key, Value]>;
  size(): number;
}

/**
 * Two halves: what is used moves to the recent one, and when that is full it becomes the other, whose
 * entries nobody has asked for since are forgotten. So the half of the capacity that was used last is
 * always there, and a look-up changes nothing: a single map kept in order of use would churn with every one
 * (see `async/slot-list.ts`).
 */
export function createLru<Key, Value extends object>(capacity: number): Lru<Key, Value> {
  let recent = new Map<Key, Value>();
  let older = new Map<Key, Value>();

  const remember = (key: Key, value: Value): void => {
    older.delete(key);
    if (recent.size >= capacity / 2 && !recent.has(key)) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, value);
  };

  return {
    get(key) {
      const value = recent.get(key);
      if (value !== undefined) return value;
      const earlier = older.get(key);
      if (earlier !== undefined) remember(key, earlier);
      return earlier;
    },
    set: remember,
    delete(key) {
      recent.delete(key);
      older.delete(key);
    },
    clear() {
      recent.clear();
      older.clear();
    },
    *entries() {
      yield* older;
      yield* recent;
    },
    size: () => recent.size + older.size,
  };
}
