import { type ReactNode, useState } from "react";
import type { BillingDetailsResponse } from "../../../../src/console/billing-details/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { useRead } from "../../api/use-read.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogForm } from "../../parts/dialog.tsx";
import { Field, Input, Textarea } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { Section } from "../../parts/page.tsx";
import { Facts } from "../../parts/stat.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { monthWords } from "./month-words.ts";

/** Who pays, as monthly statements print it. */
export function BillingDetails({
  account,
  mayEdit,
}: {
  readonly account: string;
  readonly mayEdit: boolean;
}): ReactNode {
  const t = useWords(monthWords);
  const [editing, setEditing] = useState(false);
  const path = `/accounts/${account}/billing-details` as const;
  const query = useRead(path);
  return (
    <Section
      title={t.details}
      actions={
        mayEdit &&
        query.data !== undefined && <Button onClick={() => setEditing(true)}>{t.detailsChange}</Button>
      }
    >
      <Loaded query={query}>{(details) => <Shown details={details} />}</Loaded>
      <Dialog open={editing} title={t.details} onClose={() => setEditing(false)}>
        <Form path={path} details={query.data} onClose={() => setEditing(false)} />
      </Dialog>
    </Section>
  );
}

function Shown({ details }: { readonly details: BillingDetailsResponse }): ReactNode {
  const t = useWords(monthWords);
  const rows = useDetailRows(details);
  return rows.length === 0 ? <p className="text-mute">{t.detailsNone}</p> : <Facts rows={rows} />;
}

/** The details that are stated, named. */
export function useDetailRows({
  legal_name: legalName,
  address,
  tax_id: taxId,
}: Pick<BillingDetailsResponse, "legal_name" | "address" | "tax_id">): readonly (readonly [
  string,
  ReactNode,
])[] {
  const t = useWords(monthWords);
  const rows = [
    [t.legalName, legalName],
    [t.address, address],
    [t.taxId, taxId],
  ] as const;
  return rows.flatMap(([name, text]) =>
    text === null
      ? []
      : [
          [
            name,
            <span key={name} className="whitespace-pre-line">
              {text}
            </span>,
          ] as const,
        ],
  );
}

function Form({
  path,
  details,
  onClose,
}: {
  readonly path: `/accounts/${string}/billing-details`;
  readonly details: BillingDetailsResponse | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(monthWords);
  const edit = useEdit({
    shown: details,
    draftOf: typedDetails,
    load: () => read(path),
    send: ({ legalName, address, taxId }, from) => {
      const body = { legal_name: legalName.trim(), address: address.trim(), tax_id: taxId.trim() };
      return write("PUT", path, body, from?.revision);
    },
    done: () => {
      toast(t.detailsSaved);
      onClose();
    },
  });
  const { draft, change, error } = edit;
  const faults = {
    legalName: faultOf(error, "legal_name"),
    address: faultOf(error, "address"),
    taxId: faultOf(error, "tax_id"),
  };
  const isShown = Object.values(faults).some((fault) => fault !== undefined);
  return (
    <DialogForm
      submit={t.save}
      busy={edit.busy}
      error={isShown ? null : error}
      onSubmit={edit.save}
      onClose={onClose}
    >
      <Field label={t.legalName} error={faults.legalName}>
        <Input
          value={draft.legalName}
          onChange={(event) => change({ legalName: event.target.value })}
          autoComplete="organization"
          maxLength={200}
          autoFocus
        />
      </Field>
      <Field label={t.address} hint={t.addressHint} error={faults.address}>
        <Textarea
          value={draft.address}
          onChange={(event) => change({ address: event.target.value })}
          rows={4}
          maxLength={1000}
        />
      </Field>
      <Field label={t.taxId} hint={t.taxIdHint} error={faults.taxId}>
        <Input
          value={draft.taxId}
          onChange={(event) => change({ taxId: event.target.value })}
          autoComplete="off"
          maxLength={100}
        />
      </Field>
      <Meanwhile edit={edit} names={t} />
    </DialogForm>
  );
}

function typedDetails(details: BillingDetailsResponse | undefined) {
  return {
    legalName: details?.legal_name ?? "",
    address: details?.address ?? "",
    taxId: details?.tax_id ?? "",
  };
}
