import type { ReactNode } from "react";
import type { CreatedInvitation } from "../../../../src/console/users/contract.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "./words.ts";

/** The link of an invitation, once: no mail is sent. */
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
      <p>{t.linkHow}</p>
      <Secret text={invitation.link} fileName="faregate-invitation.txt" />
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
