// Writes the words that Chromium shows of the mails in html-mails.ts, with which specs compare the text of mails.
//   node --experimental-transform-types --conditions=@tidings/source tools/golden-words.mjs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '../libs/testing/src/browser.ts';
import { htmlMails } from '../libs/channels/src/email/testing/html-mails.ts';
import { root } from './packages.mjs';

const { browser, close } = await startBrowser();
try {
  const page = await browser.newPage();
  const lines = [`document.body.innerText in ${await browser.version()}`];
  for (const html of htmlMails) {
    await page.setContent(html, { waitUntil: 'domcontentloaded' });
    const text = await page.evaluate(() => document.body.innerText);
    lines.push(JSON.stringify(text.replace(/\s+/g, ' ').trim()));
  }
  writeFileSync(join(root, 'libs/channels/src/email/testing/golden-words.txt'), `${lines.join('\n')}\n`);
} finally {
  await close();
}
