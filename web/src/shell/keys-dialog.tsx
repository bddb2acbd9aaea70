import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';

const rows = [
  [['⌘ / Ctrl', 'K'], 'keys.find'],
  [['/'], 'keys.filter'],
  [['J', 'K'], 'keys.move'],
  [['X'], 'keys.select'],
  [['↵'], 'keys.open'],
  [['P'], 'keys.pause'],
  [['G', 'O R J W L S A'], 'keys.go'],
  [['?'], 'keys.help'],
] as const;

export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <ModalOverlay className="scrim" isOpen={isOpen} isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title" level={2}>
            {t('keys.title')}
          </Heading>
          <dl className="dl keys">
            {rows.map(([keys, word]) => (
              <div key={word} className="row">
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{t(word)}</dd>
              </div>
            ))}
          </dl>
          <p className="mute xs">{t('keys.off')}</p>
          <div className="acts">
            <Button className="btn" autoFocus onPress={onClose}>
              {t('keys.close')}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
