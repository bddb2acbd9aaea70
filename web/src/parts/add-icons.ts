import sprite from '../look/icons.svg?raw';

/**
 * The drawings, once in the document. From a file of their own each one is asked for and read again when it is first met:
 * a table that scrolls meets them all the time.
 */
export function addIcons(): void {
  const drawings = new DOMParser().parseFromString(sprite, 'image/svg+xml').documentElement;
  drawings.setAttribute('display', 'none');
  drawings.setAttribute('aria-hidden', 'true');
  document.body.prepend(drawings);
}
