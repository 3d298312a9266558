import type { FormEvent, ReactNode } from "react";
import type { Model } from "../../../../src/console/catalog/contract.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { Rows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { draftOf, EMPTY_DRAFT, isAlias, isSound, pricesOf, termsOf } from "./draft.ts";
import { ModelFields, PriceFields } from "./model-fields.tsx";
import { PriceText } from "./price-text.tsx";
import { type KnownPrice, PublicPrices } from "./public-prices.tsx";
import { catalogWords } from "./words.ts";

interface Place {
  readonly onClose: () => void;
}

const pathOf = (id: string) => `/operator/models/${encodeURIComponent(id)}` as const;

/** Adds a model, or declares one anew. */
export function WriteModel({ model, onClose }: Place & { readonly model?: Model }): ReactNode {
  const t = useWords(catalogWords);
  const edit = useEdit({
    shown: model,
    draftOf: (shown) => (shown === undefined ? EMPTY_DRAFT : draftOf(shown)),
    load: () => read(pathOf(model?.id ?? "")),
    send: (draft, from) =>
      from === undefined
        ? write("POST", "/operator/models", { ...termsOf(draft), id: draft.id.trim() })
        : write("PUT", pathOf(from.id), termsOf(draft), from.revision),
    done: ({ id }) => {
      toast(t.saved(id));
      onClose();
    },
  });
  const { draft, change, error } = edit;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSound(draft)) edit.save();
  };
  const take = ({ price, context_tokens }: KnownPrice): void => {
    const context =
      context_tokens === null || draft.contextTokens !== "" ? {} : { contextTokens: String(context_tokens) };
    change({ ...pricesOf(price), ...context });
  };
  const given = { draft, change, error };
  const listed = { per_image: t.perImage, per_second: t.perSecond, calls: t.calls };
  return (
    <Dialog open wide title={model === undefined ? t.createTitle : t.editTitle(model.id)} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <ModelFields {...given} isNew={model === undefined} />
        {draft.family === "" && !isAlias(draft) && <PublicPrices initial={draft.id} take={take} />}
        {!isAlias(draft) && <PriceFields {...given} />}
        {model !== undefined && <p className="text-sm text-mute">{t.freezes}</p>}
        <Meanwhile
          edit={edit}
          names={{ ...t, family: t.kind, created: t.created, closed: t.groups, listed, unshown: t.price }}
        />
        {error != null && <Failed error={error} />}
        <DialogButtons>
          <Button look="primary" type="submit" busy={edit.busy}>
            {model === undefined ? t.create : t.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

export function HistoryDialog({ model, onClose }: Place & { readonly model: Model }): ReactNode {
  const t = useWords(catalogWords);
  const query = useRead(`${pathOf(model.id)}/prices`);
  return (
    <Dialog open wide title={t.historyTitle(model.id)} onClose={onClose}>
      <Loaded query={query}>
        {({ data }) => (
          <Rows
            caption={t.historyTitle(model.id)}
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              { title: t.since, cell: ({ since }) => <Time at={since} exact /> },
              { title: t.price, cell: ({ price }) => <PriceText price={price} /> },
              {
                title: <span className="sr-only">{t.inForce}</span>,
                cell: ({ in_force }) => in_force && <Badge tone="good">{t.inForce}</Badge>,
              },
            ]}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

export function DeleteModel({ model, onClose }: Place & { readonly model: Model }): ReactNode {
  const t = useWords(catalogWords);
  const remove = useWrite(
    () => write("DELETE", pathOf(model.id)),
    () => {
      toast(t.deleted(model.id));
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.deleteTitle(model.id)}
      breaks={[
        t.deleteCalls,
        ...(model.upstreams.length > 0 ? [t.deleteServed(model.upstreams.join(", "))] : []),
        t.deletePrices,
      ]}
      confirm={t.delete}
      typed={model.id}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    />
  );
}
