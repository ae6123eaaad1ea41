export const swcOptions = ({ rewriteRelativeImportExtensions }) => ({
  swcrc: false,
  sourceMaps: true,
  module: { type: 'nodenext' },
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    keepClassNames: true,
    rewriteRelativeImportExtensions,
  },
});
