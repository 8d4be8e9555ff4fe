import { useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CloseAccountDialog } from './close-account-dialog.tsx';
import { CloseAfterLoginDialog } from './close-after-login-dialog.tsx';

export function CloseAccountCard() {
  const { hasPassword } = useUser();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Card className="border-destructive/30">
      <CardHeader
        title="Close account"
        description="Permanently removes the account and all its data from this installation. Download your data first if you want to keep it."
      />
      <CardBody className="pt-4">
        <Button variant="destructive" onClick={() => setOpen(true)}>
          Close account
        </Button>
      </CardBody>
      {isOpen && (hasPassword ? <CloseAccountDialog onClose={close} /> : <CloseAfterLoginDialog onClose={close} />)}
    </Card>
  );
}
