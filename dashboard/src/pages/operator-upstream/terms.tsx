import { type ReactNode, useState } from "react";
import type { SettingsAnswer } from "../../../../src/console/settings/contract.ts";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { draftOf, termsOf, type UpstreamDraft } from "./draft.ts";
import { UpstreamFields } from "./upstream-fields.tsx";
import { upstreamWords } from "./words.ts";

/** What is declared of the upstream, to be changed. */
export function Terms({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const { data: settings } = useRead<SettingsAnswer>("/operator/settings");
  const [draft, setDraft] = useState(() => draftOf(upstream));
  const save = useWrite(
    (given: UpstreamDraft) => write<Upstream>("PUT", `/operator/upstreams/${upstream.id}`, termsOf(given)),
    (saved) => {
      toast(t.saved(saved.name));
      setDraft(draftOf(saved));
    },
  );
  return (
    <form
      className="flex max-w-3xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      {settings?.applies_file && <p className="border-l-2 border-warn pl-4">{t.overruled}</p>}
      <UpstreamFields
        draft={draft}
        change={(values) => setDraft({ ...draft, ...values })}
        before={upstream}
        error={save.error}
      />
      {save.error && <Failed error={save.error} />}
      <div>
        <Button look="primary" type="submit" busy={save.isPending}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}
