import type { ReactNode } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { useRead } from "../../api/use-read.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { draftOf, EMPTY_DRAFT, termsOf } from "./draft.ts";
import { UpstreamFields } from "./upstream-fields.tsx";
import { upstreamWords } from "./words.ts";

/** What is declared of the upstream, to be changed. */
export function Terms({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const t = useWords(upstreamWords);
  const { data: settings } = useRead("/operator/settings");
  const path = `/operator/upstreams/${upstream.id}` as const;
  const edit = useEdit({
    shown: upstream,
    draftOf: (shown) => (shown === undefined ? EMPTY_DRAFT : draftOf(shown)),
    load: () => read(path),
    send: (draft, from) => write("PUT", path, termsOf(draft), from?.revision),
    done: ({ name }) => toast(t.saved(name)),
  });
  return (
    <form
      className="flex max-w-3xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        edit.save();
      }}
    >
      {settings?.applies_file && <p className="border-l-2 border-warn pl-4">{t.overruled}</p>}
      <UpstreamFields
        draft={edit.draft}
        change={edit.change}
        before={edit.from ?? upstream}
        error={edit.error}
      />
      <Meanwhile edit={edit} names={{ ...t, closed: t.groups, credential: {}, timeouts: t.timeout }} />
      {edit.error != null && <Failed error={edit.error} />}
      <div>
        <Reserved to="all">
          <Button look="primary" type="submit" busy={edit.busy}>
            {t.save}
          </Button>
        </Reserved>
      </div>
    </form>
  );
}
