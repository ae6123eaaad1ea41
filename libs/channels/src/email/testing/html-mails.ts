import { htmlFragments } from './html-fragments.ts';

const STYLE = `
<style type="text/css" media="all">
/* hidden { display: none } */
.preheader { display: none !important; visibility: hidden; mso-hide: all }
.upper{text-transform:uppercase} p.mixed { text-transform: none }
.mobile { display:none }
@media only screen and (max-width: 480px) { .mobile { display: block !important } .desktop { display: none !important } }
#promo, .never > .x { display: inline }
.wrap .inner { display: none }
a:hover, a[x-apple-data-detectors] { display: none }
@media print { p { display: none } }
@font-face { font-family: X; src: url(x) }
</style>`;

type Layout = (parts: readonly string[]) => string;

const layouts: readonly Layout[] = [
  (parts) => parts.join('\n'),
  (parts) =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${STYLE}</head><body><table role="presentation" width="100%"><tr><td align="center">${parts.join('</td></tr><tr><td>')}</td></tr></table></body></html>`,
  (parts) =>
    `<html>${STYLE}<body bgcolor=white><center>${parts.map((part) => `<div class="section">${part}</div>`).join('')}</center></body></html>`,
  (parts) =>
    `<!doctype html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:x"><head>${STYLE}<!--[if gte mso 9]><xml><o:x>1</o:x></xml><![endif]--></head><body>${parts.map((part) => `<table><tbody><tr><td><div>${part}</div></td></tr></tbody></table>`).join('<!-- part -->')}</body></html>`,
  (parts) =>
    `<HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html"></HEAD><BODY>\r\n${parts.join('\r\n<HR>\r\n')}\r\n</BODY></HTML>\r\n`,
  (parts) => `<body>${parts.join('<br>')}</body>`,
  (parts) => `${STYLE}<div dir="ltr">${parts.join('</div><div dir="ltr">')}</div>`,
  (parts) =>
    `<html><body><!--[if mso | IE]><table><tr><td><![endif]--><div style="margin:0 auto">${parts.map((part) => `<table><tr><td style="vertical-align:top">${part}</td><td>&nbsp;</td></tr></table>`).join('')}</div><!--[if mso | IE]></td></tr></table><![endif]--></body></html>trailing`,
  (parts) => `<head>${STYLE}<title>No body tag</title></head>Words in the head's place ${parts.join(' ')}`,
  (parts) => `<section><article>${parts.join('</article><article>')}</article></section><footer>Unsubscribe</footer>`,
  (parts) => `<p>Dear customer,\n${parts.join('\n\n')}`,
  (parts) =>
    `<html><head><style>${'.preheader{display:none}'}</style></head><body><ul>${parts.map((part) => `<li>${part}</li>`).join('')}</ul></body></html>`,
];

const FRAGMENTS_IN_MAIL = 3;

/** Each part occurs in several frames. */
export const htmlMails: readonly string[] = Array.from({ length: 200 }, (_, i) => {
  const parts = Array.from(
    { length: FRAGMENTS_IN_MAIL },
    (_each, k) => htmlFragments[(i * FRAGMENTS_IN_MAIL + k * (1 + Math.floor(i / 24))) % htmlFragments.length]!,
  );
  return layouts[i % layouts.length]!(parts);
});
