import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Group } from "../../../../src/console/groups/contract.ts";
import { write } from "../../api/client.ts";
import { useReaches } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Rows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { GroupDialog } from "./group-dialog.tsx";
import { operatorAccountsWords } from "./words.ts";

/** The groups of accounts with the factors on their prices. */
export function Groups(): ReactNode {
  const t = useWords(operatorAccountsWords);
  const removes = useReaches("all");
  const [changed, setChanged] = useState<Group | null>(null);
  const [removed, setRemoved] = useState<Group | null>(null);
  return (
    <>
      <Loaded query={useRead("/operator/groups")}>
        {({ data }) => (
          <Rows
            caption={t.groups}
            rows={data}
            rowKey={(group) => group.name}
            columns={[
              { title: t.name, cell: (group) => group.name },
              {
                title: t.factor,
                align: "end",
                cell: (group) => <span className="whitespace-nowrap">× {group.factor}</span>,
              },
              { title: t.usedBy, cell: (group) => <Users group={group} /> },
              {
                title: <span className="sr-only">{t.actions}</span>,
                align: "end",
                cell: (group) => (
                  <Reserved to="billing">
                    <Menu
                      items={[
                        { title: t.change, onSelect: () => setChanged(group) },
                        ...(removes
                          ? [
                              {
                                title: t.remove,
                                danger: true,
                                disabled: isUsed(group),
                                onSelect: () => setRemoved(group),
                              },
                            ]
                          : []),
                      ]}
                    >
                      <IconButton icon="more" label={`${t.actions}: ${group.name}`} />
                    </Menu>
                  </Reserved>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <GroupDialog open={changed !== null} group={changed} onClose={() => setChanged(null)} />
      <Remove group={removed} onClose={() => setRemoved(null)} />
    </>
  );
}

function isUsed({ name, accounts, models, upstreams }: Group): boolean {
  return name === "default" || accounts + models + upstreams > 0;
}

function Users({ group }: { readonly group: Group }): ReactNode {
  const t = useWords(operatorAccountsWords);
  return (
    <Link className="link" to="/operator/accounts" search={() => ({ group: group.name })}>
      {t.users(formatCount(group.accounts), group.models, group.upstreams)}
    </Link>
  );
}

function Remove({
  group,
  onClose,
}: {
  readonly group: Group | null;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(operatorAccountsWords);
  const remove = useWrite(
    (name: string) => write("DELETE", `/operator/groups/${encodeURIComponent(name)}`),
    () => {
      toast(t.removed);
      onClose();
    },
  );
  return (
    <ConfirmDialog
      open={group !== null}
      title={t.removeOf(group?.name ?? "")}
      breaks={[t.removeBreaks]}
      confirm={t.remove}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => group !== null && remove.mutate(group.name)}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    />
  );
}
