/** Pictures of the editor: a tab that writes, and one that was overruled with words that are nowhere else. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { TestBrowser } from '../browser/launch-chromium.ts';
import { type PictureFormat, takePicture } from './take-picture.ts';

export interface EditorLook {
  readonly suffix: string;
  readonly theme: string;
  readonly language: string;
}

/** How many were taken. AutoSave must be on for everybody (phase B-1). */
export async function shootEditor(
  browser: TestBrowser,
  url: string,
  { suffix, theme, language }: EditorLook,
  {
    folder,
    format,
    widths,
  }: { readonly folder: string; readonly format: PictureFormat; readonly widths: readonly number[] },
): Promise<number> {
  const open = async (): Promise<Page> => {
    const page = await browser.openTab(`${url}/favicon.svg`);
    await page.evaluate(
      ([wanted, words]) => {
        localStorage.setItem('kannuki-theme', wanted);
        localStorage.setItem('kannuki-language', words);
      },
      [theme, language] as const,
    );
    return page;
  };
  const begin = async (page: Page): Promise<void> => {
    await page.goto(`${url}/editor`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  };
  const shoot = async (page: Page, name: string): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: name === 'editor' ? 806 : 945 });
      await page.waitForFunction(() => document.getAnimations().length === 0);
      await page.evaluate(() => scrollTo(0, 0));
      const file = join(folder, `${name}${width === 1280 ? '' : `-${width}`}${suffix}`);
      await takePicture(browser, page, file, format);
    }
  };
  const late = await open();
  // An empty project, while no tab has any of it open.
  await late.evaluate(async () =>
    (await navigator.storage.getDirectory()).removeEntry('project', { recursive: true }).catch(() => undefined),
  );
  await begin(late);
  await late.locator('.begin button').click();
  await late.locator('.scene').nth(1).click();
  const text = late.locator('textarea');
  for (const words of [' ', language === 'ja' ? '\n\n川面がゆれる。' : '\n\nThe river moves.']) {
    await text.press('Control+End');
    await late.keyboard.type(words);
    await late.keyboard.press('Control+s');
    await late.locator('.status use[href$="s-succeeded"]').waitFor();
  }
  await shoot(late, 'editor');

  const other = await open();
  await begin(other);
  await other.locator('.ban .btn.primary').waitFor();
  await text.press('Control+End');
  await late.keyboard.type(
    language === 'ja' ? '\n\nそして、壁いっぱいに門がひらく。' : '\n\nThen the whole wall opens like a gate.',
  );
  await browser.setStopped(late, true);
  await other.locator('.ban .btn.primary').click();
  await other.locator('textarea').waitFor();
  await browser.setStopped(late, false);
  await late.locator('.kept').waitFor();
  await late.locator('.top .btn').first().click();
  await late.locator('.gen').nth(1).click();
  await shoot(late, 'editor-readonly');
  await other.close();
  await late.close();
  return 2 * widths.length;
}
