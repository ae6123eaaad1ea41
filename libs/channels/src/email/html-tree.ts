import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';

export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

export const isElement = (node: HtmlNode): node is HtmlElement => defaultTreeAdapter.isElementNode(node);

class SizeExceeded extends Error {}

/** Unclosed formatting is repeated in each paragraph (HTML 13.2.4.3): 30 kB may be millions of elements. */
export function readHtml(html: string): HtmlElement | undefined {
  let left = html.length + 1_000;
  const document = defaultTreeAdapter.createDocument();
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement(name, namespace, attributes) {
      left -= 1 + attributes.length;
      if (left < 0) throw new SizeExceeded();
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
  };
  try {
    parse(html, { treeAdapter });
  } catch (error) {
    if (!(error instanceof SizeExceeded)) throw error;
  }
  return document.childNodes.find(isElement);
}
