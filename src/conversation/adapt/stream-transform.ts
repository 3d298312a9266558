/**
 * A stream as a machine without clock or I/O: a step answers the next state and what it puts out. The state it was
 * given is the step's: it is read nowhere else, and what grows with the stream (maps, lists) grows in place, for a copy
 * at each event would cost the square of the events. `end` is called once, when no more input comes.
 */
export interface StreamTransform<Start, State, In, Out> {
  initial(start: Start): State;
  step(state: State, input: In): readonly [State, readonly Out[]];
  end(state: State): readonly Out[];
}

/** A machine that runs: its state is its own. */
export interface StreamRun<In, Out> {
  step(input: In): readonly Out[];
  end(): readonly Out[];
}

export function runTransform<Start, State, In, Out>(
  machine: StreamTransform<Start, State, In, Out>,
  start: Start,
): StreamRun<In, Out> {
  let state = machine.initial(start);
  return {
    step(input) {
      const [next, out] = machine.step(state, input);
      state = next;
      return out;
    },
    end: () => machine.end(state),
  };
}

/** The first run's output is the second's input. */
export function chainRuns<In, Mid, Out>(
  first: StreamRun<In, Mid>,
  second: StreamRun<Mid, Out>,
): StreamRun<In, Out> {
  const onward = (mids: readonly Mid[]): readonly Out[] => {
    const [only] = mids;
    // Nearly every event makes one event.
    return mids.length === 1 && only !== undefined
      ? second.step(only)
      : mids.flatMap((mid) => second.step(mid));
  };
  return {
    step: (input) => onward(first.step(input)),
    end: () => [...onward(first.end()), ...second.end()],
  };
}
