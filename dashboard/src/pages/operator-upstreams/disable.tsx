import type { ReactNode } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { upstreamsWords } from "./words.ts";

/** Switches an upstream on, or off. */
export function useSetState(done?: () => void) {
  const t = useWords(upstreamsWords);
  return useWrite(
    ({ id, enabled }: { readonly id: string; readonly enabled: boolean }) =>
      write("PUT", `/operator/upstreams/${id}/state`, { enabled }),
    ({ name, enabled }) => {
      toast(enabled ? t.enabled(name) : t.disabled(name));
      done?.();
    },
  );
}

interface DisableProps {
  readonly upstream: Upstream;
  /** Models that no other enabled upstream has. */
  readonly only: readonly string[];
  readonly onClose: () => void;
}

export function DisableDialog({ upstream, only, onClose }: DisableProps): ReactNode {
  const t = useWords(upstreamsWords);
  const set = useSetState(onClose);
  const { requests } = upstream.hour;
  return (
    <ConfirmDialog
      open
      title={t.disableTitle(upstream.name)}
      breaks={[
        t.disableBreaks,
        ...(requests > 0 ? [t.disableHour(formatCount(requests))] : []),
        ...(only.length > 0 ? [t.disableOnly(only.join(", "))] : []),
      ]}
      confirm={t.disable}
      busy={set.isPending}
      error={set.error}
      onConfirm={() => set.mutate({ id: upstream.id, enabled: false })}
      onClose={onClose}
    />
  );
}

/** Models that nobody but this upstream serves now. */
export function servedOnlyBy(upstream: Upstream, all: readonly Upstream[]): string[] {
  const others = all.filter(({ id, enabled }) => enabled && id !== upstream.id);
  return Object.keys(upstream.models).filter((model) =>
    others.every(({ models }) => !Object.hasOwn(models, model)),
  );
}
