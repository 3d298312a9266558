import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { isChangedMeanwhile } from "./api-error.ts";
import { type Clash, mergeDrafts, takeTheirs } from "./merge-drafts.ts";
import { queryClient } from "./query-client.ts";
import { useWrite } from "./use-write.ts";

interface EditOptions<Shown, Draft> {
  /** The record that the form edits; undefined = a new one. */
  readonly shown: Shown | undefined;
  readonly draftOf: (shown: Shown | undefined) => Draft;
  /** Reads it as it is now, where others changed it. */
  readonly load: () => Promise<Shown>;
  /** Writes it with the revision of `from`, so that nobody's change is lost: `write("PUT", path, body, from?.revision)`. */
  readonly send: (draft: Draft, from: Shown | undefined) => Promise<Shown>;
  readonly done: (saved: Shown) => void;
}

/** A form over something that others may change while it is typed into. `<Meanwhile edit={edit} names={…} />` shows that. */
export interface Edit<Shown, Draft> {
  /** The record that the draft began with; a newer one once the new state was loaded. */
  readonly from: Shown | undefined;
  readonly draft: Draft;
  readonly change: (values: Partial<Draft>) => void;
  readonly save: () => void;
  readonly busy: boolean;
  /** The error, unless `meanwhile` explains it. */
  readonly error: unknown;
  readonly meanwhile: Meanwhile;
}

export interface Meanwhile {
  /** refused: others changed it, nothing was saved; loaded: their state is in the form, with what was typed over it. */
  readonly state: "none" | "refused" | "loaded";
  readonly load: () => void;
  readonly loading: boolean;
  readonly error: unknown;
  readonly clashes: readonly Clash[];
  readonly take: (clash: Clash) => void;
}

interface Kept<Shown, Draft> {
  readonly from: Shown | undefined;
  readonly draft: Draft;
  /** Undefined: the new state was not loaded. */
  readonly clashes: readonly Clash[] | undefined;
}

export function useEdit<Shown, Draft extends object>(options: EditOptions<Shown, Draft>): Edit<Shown, Draft> {
  const { draftOf } = options;
  const begin = (shown: Shown | undefined): Kept<Shown, Draft> => ({
    from: shown,
    draft: draftOf(shown),
    clashes: undefined,
  });
  const [kept, setKept] = useState(() => begin(options.shown));
  const { from, draft, clashes } = kept;
  const save = useWrite(
    () => options.send(draft, from),
    (saved) => {
      setKept(begin(saved));
      options.done(saved);
    },
  );
  const load = useMutation({
    mutationFn: options.load,
    onSuccess: (now) => {
      void queryClient.invalidateQueries();
      save.reset();
      setKept((before) => {
        const versions = { base: draftOf(before.from), mine: before.draft, theirs: draftOf(now) };
        return { from: now, ...mergeDrafts(versions) };
      });
    },
  });
  const isRefused = isChangedMeanwhile(save.error);
  return {
    from,
    draft,
    busy: save.isPending,
    change: (values) => setKept((before) => ({ ...before, draft: { ...before.draft, ...values } })),
    save: () => save.mutate(undefined),
    error: isRefused ? null : save.error,
    meanwhile: {
      state: isRefused ? "refused" : clashes === undefined ? "none" : "loaded",
      load: () => load.mutate(),
      loading: load.isPending,
      error: load.error,
      clashes: clashes ?? [],
      take: (clash) =>
        setKept((before) => ({
          ...before,
          draft: takeTheirs(before.draft, clash),
          clashes: before.clashes?.filter((each) => each !== clash),
        })),
    },
  };
}
