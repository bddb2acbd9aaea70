import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { TestBrowser } from '../browser/launch-chromium.ts';

export type PictureFormat = 'png' | 'webp';

/** What is on the screen now, into a file without its ending. */
export async function takePicture(
  browser: TestBrowser,
  page: Page,
  file: string,
  format: PictureFormat,
): Promise<void> {
  const { data } = await (await browser.debug(page)).send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' && { quality: 82 }),
  });
  writeFileSync(`${file}.${format}`, Buffer.from(data, 'base64'));
}
