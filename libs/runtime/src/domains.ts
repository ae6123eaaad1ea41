import { readFileSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import { disposableEmailBlocklist } from 'disposable-email-domains-js';
import { z } from 'zod';

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const domainName = z
  .string()
  .transform((text) => domainToASCII(text))
  .refine((domain) => DOMAIN.test(domain), 'must be a domain such as bounces.example.com');

export const domainsFile = z
  .string()
  .optional()
  .transform((file, context) => {
    if (file === undefined) return new Set(disposableEmailBlocklist());
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
