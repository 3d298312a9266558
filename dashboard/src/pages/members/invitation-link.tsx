import type { ReactNode } from "react";
import type { CreatedInvitation } from "../../../../src/console/users/contract.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "./words.ts";

/** The link of an invitation, once; where a mail server is set, it was sent too. */
export function InvitationLink({
  invitation,
  onClose,
}: {
  readonly invitation: CreatedInvitation;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(peopleWords);
  return (
    <Dialog open title={t.linkTitle(invitation.email)} onClose={onClose}>
      <p>{invitation.mailed ? t.linkMailed : t.linkHow}</p>
      <Secret text={invitation.link} fileName="faregate-invitation.txt" />
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
