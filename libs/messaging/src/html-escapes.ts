const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const htmlEntities: ReadonlyMap<number, string> = new Map(
  Object.entries(entities).map(([character, entity]) => [character.charCodeAt(0), entity]),
);

export const htmlEscaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
