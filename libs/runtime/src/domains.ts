import { readFileSync } from 'node:fs';
import { domainToASCII, fileURLToPath } from 'node:url';
import { z } from 'zod';

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The list that is shipped (R-E4); it lies beside the sources and beside what is built of them. */
const SHIPPED = fileURLToPath(new URL('../disposable-domains.txt', import.meta.url));

/** A file with one domain a line; `#` begins a comment. Read once, in ASCII and lower case. */
export const domainsFile = z
  .string()
  .default(SHIPPED)
  .transform((file, context) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      context.addIssue(`cannot be read: ${file}`);
      return z.NEVER;
    }
    const domains = new Set<string>();
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const entry = line.replace(/#.*/, '').trim();
      if (entry === '') continue;
      const domain = domainToASCII(entry);
      if (!DOMAIN.test(domain)) context.addIssue(`line ${index + 1} is no domain: ${file}`);
      domains.add(domain);
    }
    return domains;
  });
