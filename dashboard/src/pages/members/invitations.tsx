import { type ReactNode, useState } from "react";
import type { InvitationRow } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useReaches } from "../../api/session.ts";
import { useList } from "../../api/use-list.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Table } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "./words.ts";

type InvitationsPath = "/operator/invitations" | `/accounts/${string}/invitations`;

/** Open invitations at `path`: of an account, or all of them. */
export function Invitations({ path }: { readonly path: InvitationsPath }): ReactNode {
  const t = useWords(peopleWords);
  const list = useList(path);
  // An account's are shown to its owners alone.
  const revokes = useReaches("all") || path !== "/operator/invitations";
  const [revoking, setRevoking] = useState<InvitationRow>();
  return (
    <>
      <Table
        caption={t.invitations}
        list={list}
        rowKey={(row) => row.id}
        columns={[
          { title: t.email, cell: (row) => <span className="break-all">{row.email}</span> },
          { title: t.joins, cell: (row) => <Joins row={row} /> },
          { title: t.invitedBy, wideOnly: true, cell: (row) => row.invited_by },
          { title: t.expires, wideOnly: true, cell: (row) => <Time at={row.expires_at} /> },
          {
            title: <span className="sr-only">{t.revoke}</span>,
            align: "end",
            cell: (row) => revokes && <Button onClick={() => setRevoking(row)}>{t.revoke}</Button>,
          },
        ]}
        empty={<Empty title={t.noInvitations}>{t.noInvitationsHow}</Empty>}
      />
      {revoking && <Revoke path={path} row={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

function Joins({ row }: { readonly row: InvitationRow }): ReactNode {
  const t = useWords(peopleWords);
  return (
    <span className="flex flex-wrap items-center gap-2">
      {row.account !== null && <span>{row.account.name}</span>}
      {row.role !== null && <span className="text-mute">{t.roles[row.role]}</span>}
      {row.operator_role !== null && <Badge tone="accent">{t.operatorRoles[row.operator_role]}</Badge>}
    </span>
  );
}

function Revoke({
  path,
  row,
  onClose,
}: {
  readonly path: InvitationsPath;
  readonly row: InvitationRow;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(peopleWords);
  const revoke = useWrite(
    () => write("DELETE", `${path}/${row.id}`),
    () => {
      toast(t.revoked);
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open
      title={t.revokeTitle(row.email)}
      breaks={[t.revokeBreaks]}
      confirm={t.revoke}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    />
  );
}
