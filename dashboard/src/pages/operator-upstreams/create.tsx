import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { EMPTY_DRAFT, termsOf, type UpstreamDraft } from "../operator-upstream/draft.ts";
import { UpstreamFields } from "../operator-upstream/upstream-fields.tsx";
import { upstreamsWords } from "./words.ts";

/** Adds an upstream, then leads to its page: to the models that its vendor offers if none are named yet. */
export function CreateUpstream({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(upstreamsWords);
  const navigate = useNavigate();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const create = useWrite(
    (given: UpstreamDraft) =>
      write("POST", "/operator/upstreams", { ...termsOf(given), name: given.name.trim() }),
    ({ id, name, models }) => {
      toast(t.created(name));
      const tab = Object.keys(models).length === 0 ? "models" : undefined;
      void navigate({ to: `/operator/upstreams/${id}`, search: { tab } as never });
    },
  );
  return (
    <Dialog open wide title={t.createTitle} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(draft);
        }}
      >
        <UpstreamFields
          draft={draft}
          change={(values) => setDraft({ ...draft, ...values })}
          before={undefined}
          error={create.error}
        />
        {create.error && <Failed error={create.error} />}
        <DialogButtons>
          <Button look="primary" type="submit" busy={create.isPending}>
            {t.create}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
