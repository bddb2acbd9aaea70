/**
 * Finds the fields of a page by itself, so that a new one cannot be forgotten, and gives each of them hostile strings.
 *
 * A button that ends with an ellipsis opens a dialog (a rule of the words): each is opened and its fields are taken, too. A
 * choice may bring further fields: every option is chosen once. A filter is also submitted, with the prefixes it names.
 */
import type { ElementHandle, Locator, Page } from 'playwright-core';

const fieldSelector = 'input:not([type=checkbox], [type=radio], [type=hidden]), textarea, [contenteditable=true]';
/** A choice of more options is one among things, such as jobs: none of them changes the form. */
const mostOptions = 10;

/** The names of the fields that were met. `nextStrings` says what the next one is given. */
export async function attackPage(page: Page, nextStrings: () => readonly string[]): Promise<readonly string[]> {
  const main = page.locator('main');
  const met: string[] = [];
  const buttons = main.getByRole('button', { name: /…$/, disabled: false });
  const words = [...new Set((await buttons.allTextContents()).map((text) => text.trim()))];
  for (const word of words) {
    await buttons.filter({ hasText: word }).first().click();
    const dialog = page.locator('[role=dialog], [role=alertdialog]');
    await dialog.waitFor();
    met.push(...(await attackFields(dialog, nextStrings)));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  // Last: a filter may take away what the buttons were about.
  met.push(...(await attackFields(main, nextStrings)));
  return met;
}

/** The fields of one place, and those that its choices bring. */
export async function attackFields(place: Locator, nextStrings: () => readonly string[]): Promise<readonly string[]> {
  const met = new Set<string>();
  const attackNew = async (): Promise<void> => {
    for (const field of await place.locator(fieldSelector).elementHandles()) {
      const name = await field.evaluate(nameOf);
      if (met.has(name) || !(await field.isVisible()) || !(await field.isEditable())) continue;
      met.add(name);
      await (field as ElementHandle<HTMLInputElement>).evaluate(giveAll, nextStrings());
    }
  };
  await attackNew();
  for (const choice of await place.locator('select').elementHandles()) {
    const values = await choice.evaluate((select) =>
      [...(select as HTMLSelectElement).options].map((one) => one.value),
    );
    for (const value of values.length > mostOptions ? [] : values) {
      await choice.selectOption(value);
      await attackNew();
    }
  }
  return [...met];
}

function nameOf(field: Element): string {
  const label = (field as HTMLInputElement).labels?.[0]?.textContent ?? field.getAttribute('aria-label');
  return (label ?? `${field.tagName} without a name`).trim();
}

/** As somebody who types and, where it is a filter, presses Enter. All within the page: a hundred round trips take seconds. */
async function giveAll(field: HTMLInputElement, strings: readonly string[]): Promise<void> {
  const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set;
  const turn = (): Promise<void> =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done();
      port2.postMessage(0);
    });
  const filter = field.closest('search')?.querySelector('form');
  const prefixes = filter ? ['', ...(field.placeholder.match(/\S+[:=](?=…|\s|$)/g) ?? [])] : [''];
  for (const [index, text] of strings.entries()) {
    set?.call(field, `${prefixes[index % prefixes.length]}${text}`);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await turn();
    filter?.requestSubmit();
    if (filter) await turn();
  }
  set?.call(field, '');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await turn();
}
