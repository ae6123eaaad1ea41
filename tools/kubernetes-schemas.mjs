// JSON schemas for kubeconform from the OpenAPI document of Kubernetes and published custom resources, once per machine and version.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { cache, moduleFolder } from './go-programs.mjs';
import { schemaModules } from './helm.mjs';

/** File of the definition, by module. */
const customResources = {
  gatewayApi: ['httproutes', 'grpcroutes'].map((name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`),
  keda: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  prometheus: ['servicemonitors', 'prometheusrules'].map(
    (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
  ),
};

const PREFIX = '#/definitions/';
const integerOrText = { anyOf: [{ type: 'string' }, { type: 'integer' }] };

/** The API takes these kinds as numbers, too. */
const alsoNumbers = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { anyOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': integerOrText,
};

export const SCHEMA_PATTERN = '{{ .ResourceKind }}{{ .KindSuffix }}.json';

const fileOf = ({ group, version, kind }) =>
  `${[kind.toLowerCase(), ...(group === '' ? [] : [group.split('.')[0]]), version].join('-')}.json`;

/** A schema for each kind; made if missing. */
export async function schemaFolder() {
  const key = createHash('sha256')
    .update(JSON.stringify(schemaModules))
    .update(readFileSync(import.meta.filename))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, `kubernetes-schemas-${key}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const write = (name, schema) => writeFileSync(join(draft, name), JSON.stringify(schema));
    const { definitions } = JSON.parse(
      readFileSync(join(await moduleFolder(schemaModules.kubernetes), 'api/openapi-spec/swagger.json'), 'utf8'),
    );
    writeBuiltIn(definitions, write);
    for (const [module, files] of Object.entries(customResources)) {
      const source = await moduleFolder(schemaModules[module]);
      for (const file of files) writeCustom(parse(readFileSync(join(source, file), 'utf8')), write);
    }
    // Atomic: other processes may check for the folder at the same time.
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function writeBuiltIn(definitions, write) {
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, alsoNumbers[name] ?? closed(schema)]),
  );
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions)) {
    // A kind of every group, such as DeleteOptions, is no resource.
    if (kinds.length !== 1) continue;
    write(fileOf(kinds[0]), { $ref: `${PREFIX}${name}`, definitions: reachable(name, strict) });
  }
}

function writeCustom({ spec: { group, names, versions } }, write) {
  for (const { name: version, schema } of versions) {
    if (schema) write(fileOf({ group, version, kind: names.kind }), closed(schema.openAPIV3Schema));
  }
}

function reachable(name, definitions) {
  const found = {};
  const open = [name];
  while (open.length > 0) {
    const next = open.pop();
    if (Object.hasOwn(found, next)) continue;
    found[next] = definitions[next];
    for (const [, reference] of JSON.stringify(found[next]).matchAll(/"#\/definitions\/([^"]+)"/g))
      open.push(reference);
  }
  return found;
}

/** Without the extensions of Kubernetes; refuses unlisted fields. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string']) return integerOrText;
  const kept = Object.entries(schema).filter(
    ([key]) => !key.startsWith('x-') && key !== 'properties' && key !== 'format',
  );
  const result = Object.fromEntries(kept.map(([key, value]) => [key, key === 'default' ? value : closed(value)]));
  if (typeof schema.properties !== 'object') return result;
  // The names of properties are no keywords.
  result.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, of]) => [name, closed(of)]));
  if (!schema['x-kubernetes-preserve-unknown-fields']) result.additionalProperties ??= false;
  return result;
}
