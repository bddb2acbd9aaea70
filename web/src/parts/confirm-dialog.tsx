/** A question with its facts before a dangerous act. The focus begins on the safe button. */
import type { ReactNode } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Icon } from './icon.tsx';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text: string;
  readonly keepLabel: string;
  readonly doLabel: string;
  /** Red, and the act cannot be taken back. @default false */
  readonly dangerous?: boolean;
  readonly canDo?: boolean;
  readonly busy?: boolean;
  readonly onDo: () => void;
  readonly problem?: Error | null;
  /** Room for a form. @default false */
  readonly wide?: boolean;
  readonly children?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, text, keepLabel, doLabel, onDo, children, problem } = props;
  const { dangerous = false, canDo = true, busy = false, wide = false } = props;
  return (
    <ModalOverlay
      className="scrim"
      isOpen={isOpen}
      isDismissable={!busy}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={wide ? 'dialog wide' : 'dialog'}>
        <Dialog role={dangerous ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <p className="soft">{text}</p>
          {children}
          {problem && (
            <p className="note" data-state="critical" role="alert">
              <Icon name="s-critical" />
              {problem.message}
            </p>
          )}
          <div className="acts">
            <Button className="btn" autoFocus onPress={onClose} isDisabled={busy}>
              {keepLabel}
            </Button>
            <Button className={dangerous ? 'btn danger' : 'btn primary'} onPress={onDo} isDisabled={!canDo || busy}>
              {doLabel}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
