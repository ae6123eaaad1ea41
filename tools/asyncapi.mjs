// Generates the AsyncAPI document of the public topics from the comments in proto/ and the table of topics.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from './packages.mjs';
import { asTypeScript } from './document-tables.mjs';

export const asyncApiPath = 'libs/events/src/generated/asyncapi.json';

/** As `topicNames` calls them. */
const PUBLIC = ['devices', 'visits', 'messages', 'plans', 'outcomes', 'reports', 'conversions', 'jobs', 'deadLetters'];

/** The service for subscribers that dial in has no topic. */
const EVENT_STREAM = 'tidings/events/v1/event_stream.proto';

const PROTOBUF = 'application/x-protobuf';
const BINDING = { bindingVersion: '0.5.0' };
/** Field numbers in descriptor.proto, which make source locations. */
const [MESSAGES, ENUMS, FIELDS, VALUES] = [4, 5, 2, 2];

const REFERENCE = /R-[A-Z]+\d+|[Aa]rchitecture \d+|[Ss]ending \d+|ADR \d+|Spec,? [A-Z]\w*|Facts \d+/.source;
const REFERENCES = new RegExp(`\\s*\\((?:(?:${REFERENCE})(?:, | to | and )?)+\\)`, 'g');

const publicText = (comment = '') => comment.replace(/\s+/g, ' ').replace(REFERENCES, '').trim();

const described = (text, schema) => (text === '' ? schema : { description: text, ...schema });

const nameOf = (typeName) => typeName.split('.').at(-1);

function typesOf({ file: files }) {
  const types = new Map();
  for (const file of files) {
    const comments = new Map(
      file.sourceCodeInfo.location.map(({ path = [], leadingComments }) => [path.join('.'), leadingComments]),
    );
    const add = (kind, number, list = []) =>
      list.forEach((type, i) =>
        types.set(['', file.package, type.name].filter((part, at) => at === 0 || part).join('.'), {
          kind,
          type,
          file: file.name,
          commentOf: (...path) => publicText(comments.get([number, i, ...path].join('.'))),
        }),
      );
    add('message', MESSAGES, file.messageType);
    add('enum', ENUMS, file.enumType);
  }
  return types;
}

/** In the JSON form of protobuf. */
const integer64 = { type: 'string', pattern: '^-?\\d+$' };
const scalars = {
  TYPE_BOOL: { type: 'boolean' },
  TYPE_STRING: { type: 'string' },
  TYPE_BYTES: { type: 'string', contentEncoding: 'base64' },
  TYPE_DOUBLE: { type: 'number' },
  TYPE_INT32: { type: 'integer' },
  TYPE_SINT32: { type: 'integer' },
  TYPE_UINT32: { type: 'integer', minimum: 0 },
  TYPE_INT64: integer64,
  TYPE_SINT64: integer64,
  TYPE_SFIXED64: integer64,
  TYPE_UINT64: { type: 'string', pattern: '^\\d+$' },
};

const TIMESTAMP = '.google.protobuf.Timestamp';

function schemaOfType({ type, typeName }) {
  if (typeName === TIMESTAMP) return { type: 'string', format: 'date-time' };
  if (typeName) return { $ref: `#/components/schemas/${nameOf(typeName)}` };
  if (!scalars[type]) throw new Error(`no schema for ${type}`);
  return scalars[type];
}

function schemaOfField(field, oneofs, text) {
  const { number, type, label, oneofIndex, proto3Optional, typeName } = field;
  const one = schemaOfType(field);
  const schema = label === 'LABEL_REPEATED' ? { type: 'array', items: one } : one;
  const alternative = oneofIndex !== undefined && !proto3Optional ? { 'x-oneof': oneofs[oneofIndex].name } : {};
  const wire = { 'x-field-number': number, 'x-protobuf-type': typeName?.slice(1) ?? type.slice(5).toLowerCase() };
  // Not every tool resolves a reference beside other keys.
  return described(text, { ...(schema.$ref ? { allOf: [schema] } : schema), ...alternative, ...wire });
}

function schemaOf({ kind, type, commentOf }) {
  if (kind === 'enum') {
    const values = type.value.map(({ name, number }, i) => [name, { number, text: commentOf(VALUES, i) }]);
    return described(commentOf(), {
      type: 'string',
      enum: values.map(([name]) => name),
      'x-enum-numbers': Object.fromEntries(values.map(([name, { number }]) => [name, number])),
      'x-enum-descriptions': Object.fromEntries(
        values.filter(([, { text }]) => text !== '').map(([name, { text }]) => [name, text]),
      ),
    });
  }
  const fields = (type.field ?? []).map((field, i) => [
    field.name,
    schemaOfField(field, type.oneofDecl ?? [], commentOf(FIELDS, i)),
  ]);
  return described(commentOf(), { type: 'object', properties: Object.fromEntries(fields) });
}

function schemasOf(types, names) {
  const found = new Map();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const existing = found.get(nameOf(name));
    if (existing && existing.name !== name) throw new Error(`two messages are called ${nameOf(name)}`);
    if (existing || name === TIMESTAMP) continue;
    const type = types.get(name);
    found.set(nameOf(name), { name, file: type.file, schema: schemaOf(type) });
    open.push(...(type.type.field ?? []).flatMap(({ typeName }) => typeName ?? []));
  }
  return found;
}

/** `protoc` has the files of google itself. */
function withImports({ file: files }, names) {
  const included = new Set();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (included.has(name) || name.startsWith('google/')) continue;
    included.add(name);
    open.push(...(files.find((file) => file.name === name).dependency ?? []));
  }
  return included;
}

/** E.g. "Topic tidings.plans, key = message/application/chunk: who gets a message". */
const TOPIC = /\btopic (tidings\.[\w-]+), key = ([^:]+): (.+)$/i;

function recordsOf(types) {
  const records = new Map();
  for (const [name, { commentOf }] of types) {
    const [, topic, key, text] = TOPIC.exec(commentOf()) ?? [];
    if (topic) records.set(topic, { name, key, text: text[0].toUpperCase() + text.slice(1) });
  }
  return records;
}

const traceHeaders = {
  type: 'object',
  description: 'Present if the deployment records traces.',
  properties: {
    traceparent: { type: 'string', description: 'W3C trace context of the publication.' },
    tracestate: { type: 'string', description: 'W3C trace state.' },
  },
};

const text = (description) => ({ type: 'string', description });
const integer = (description) => ({ type: 'integer', minimum: 0, description });

/** As libs/streaming/src/dead-letters.ts writes it. */
const deadLetterHeader = {
  type: 'object',
  description: 'The JSON header of a dead letter.',
  required: ['reason', 'error', 'group', 'topic', 'partition', 'offset', 'key', 'timestamp'],
  properties: {
    reason: {
      ...text('The bytes could not be decoded, the version did not know the kind of record, or its handler failed.'),
      enum: ['decode', 'unknown', 'handler'],
    },
    error: text('The error of the last try, at most 2,000 characters.'),
    group: text('The consumer group that could not handle the record. Others may have.'),
    topic: text('The topic of the record, without the namespace of the deployment.'),
    partition: integer('The partition of the record.'),
    offset: integer('The offset of the record.'),
    key: text('The key of the record.'),
    timestamp: integer('When the record was published, in milliseconds since 1970.'),
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The headers of the record; absent without any.',
    },
    cut: {
      type: 'object',
      description: 'Present if key and headers were too large: payload and key are truncated then.',
      properties: {
        payloadBytes: integer('Size of the whole payload.'),
        sha256: text('SHA-256 of the whole payload, in hexadecimal.'),
      },
    },
  },
};

const deadLetter = {
  key: 'topic/partition of the record',
  text: 'Records that a consumer of Tidings could not handle, with the reason and the origin.',
  message: {
    name: 'DeadLetter',
    title: 'DeadLetter',
    contentType: 'application/octet-stream',
    description:
      'The value is the length of a JSON header (4 bytes, unsigned, little-endian), the header (UTF-8; its schema is `components.schemas.DeadLetterHeader`), and the value of the record, unchanged.',
    payload: { type: 'string', contentEncoding: 'binary' },
  },
};

const protobufMessage = ({ name, key }) => ({
  name: name.slice(1),
  title: nameOf(name),
  contentType: PROTOBUF,
  headers: { $ref: '#/components/schemas/TraceHeaders' },
  payload: { $ref: `#/components/schemas/${nameOf(name)}` },
  bindings: { kafka: { key: { type: 'string', description: `UTF-8: ${key}.` }, ...BINDING } },
});

const channelOf = ({ name, partitions, retentionMs, kind }, { key, text: holds }, message) => ({
  address: name,
  title: name,
  description: `${holds} Key: ${key}.`,
  servers: [{ $ref: '#/servers/kafka' }],
  messages: { [message]: { $ref: `#/components/messages/${message}` } },
  bindings: {
    kafka: {
      topic: name,
      partitions,
      topicConfiguration: {
        'cleanup.policy': [kind === 'compacted' ? 'compact' : 'delete'],
        'retention.ms': retentionMs,
      },
      ...BINDING,
    },
  },
});

/** `apps/webhooks/src/streams/links/kafka.ts` writes their records (R-EV1, R-EV8). */
const subscriptionTopic = {
  name: '.WebhookRequest',
  id: 'subscription',
  channel: {
    address: '{topic}',
    title: 'Events of a subscription',
    description:
      'The events that a subscription with the endpoint `kafka://<topic>` selects, one record each. Key: application/hwid. Tidings makes the topic if it is missing, with these partitions and this retention; an existing one keeps its own. The format of the subscription decides between two kinds of records: `protobuf`, an encoded `WebhookRequest`, or `json`, a CloudEvent in the binary mode of Kafka, whose header `content-type` is `application/json`. Records are repeated when the acknowledgement of Kafka is lost: `uuid`, or `ce_id`, identifies the event. Subscriptions may share a topic.',
    servers: [{ $ref: '#/servers/kafka' }],
    parameters: { topic: { description: 'The topic in the endpoint of the subscription.' } },
    messages: {
      WebhookRequest: { $ref: '#/components/messages/WebhookRequest' },
      CloudEvent: { $ref: '#/components/messages/CloudEvent' },
    },
    bindings: {
      kafka: {
        partitions: 8,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': 7 * 86_400_000 },
        ...BINDING,
      },
    },
  },
  operation: { action: 'send', channel: { $ref: '#/channels/subscription' }, summary: 'Events of a subscription.' },
  headers: {
    type: 'object',
    required: ['subscription'],
    properties: {
      subscription: { type: 'string', description: 'The id of the subscription.' },
      ...traceHeaders.properties,
    },
  },
};

/** Examples of headers and payloads, one of each event. */
function cloudEventMessage({ headers: { properties, required }, examples }) {
  const { subscription } = subscriptionTopic.headers.properties;
  return {
    name: 'CloudEvent',
    title: 'CloudEvent',
    contentType: 'application/json',
    description:
      'An event of a subscription with the format `json`: a CloudEvent of version 1.0 in the binary mode of Kafka. The attributes are headers, the value is the data.',
    headers: {
      type: 'object',
      required: [...required, 'subscription'],
      properties: { ...properties, subscription, ...traceHeaders.properties },
    },
    payload: { $ref: '#/components/schemas/EventData' },
    bindings: { kafka: { key: { type: 'string', description: 'UTF-8: application/hwid.' }, ...BINDING } },
    examples: examples.map(({ name, headers, payload }) => ({
      name,
      headers: { ...headers, subscription: 'sub-1' },
      payload,
    })),
  };
}

const DESCRIPTION = `The public topics of Tidings: facts about devices, messages and their outcomes, for programs that read Kafka.

**Records.** The key is UTF-8 text. Subscriptions with the format \`json\` have CloudEvents with JSON data in their topics. In all others the value is one encoded protobuf message (proto3) and nothing else: no length before it, no schema id. Batches of records may be compressed with gzip, which clients of Kafka undo by themselves. Which message it is follows from the topic. Schemas here show the fields under their names in the proto files, in the JSON form of protobuf: 64-bit integers and bytes are strings, an absent field has its default, and of the fields with the same \`x-oneof\` at most one is present. \`x-field-number\` and \`x-protobuf-type\` are those of the wire. \`x-protobuf-files\` holds the proto files by path: written to a folder, they are the input of \`protoc\`.

**Delivery.** Records are delivered at least once, in the order of their key. Where a record has a \`stamp\`, its \`log\`, \`position\` and \`index\` identify the event: a consumer drops repeats by them. Other facts are sets, which repeats do not change. A consumer ignores fields and cases that it does not know.

**Devices.** A device has a number in its application (\`seq\`). \`chunk\` is \`seq >> 16\`, a position \`seq & 65535\`. A set of positions is encoded as one byte and little-endian 16-bit integers: after 0 the positions, after 1 pairs of a first and a last position; after 2 the set is 8,192 bytes, in which bit \`p % 8\` of byte \`p / 8\` stands for position \`p\`. No bytes are the empty set. \`tidings.devices\` tells which hwid has which number; all other topics of Tidings use numbers only, while topics of subscriptions name the device. Platforms have the numbers of the API.

**Topics.** A deployment with \`KAFKA_NAMESPACE\` has that text before each name. Retention is a minimum: Kafka removes whole segments. The embedded mode has no Kafka: \`GET /admin/v1/tap/{topic}\` shows its topics.`;

export function asyncApi() {
  const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
  const limits = { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 };
  const image = JSON.parse(execFileSync(process.execPath, [buf, 'build', 'proto', '-o', '-#format=json'], limits));
  const script = `const { topicNames, topics } = await import(${JSON.stringify(join(root, 'libs/events/src/topics.ts'))});
    const { eventDataSchema, eventExamples, kafkaEventOf, kafkaHeadersSchema } = await import(${JSON.stringify(join(root, 'libs/contract/src/index.ts'))});
    const { z } = await import('zod');
    const schemaOf = (type) => {
      const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
      return schema;
    };
    const examples = eventExamples.map((event) => {
      const { headers, json } = kafkaEventOf(event);
      return { name: event.eventName, headers, payload: JSON.parse(json) };
    });
    const jsonEvents = { headers: schemaOf(kafkaHeadersSchema), data: schemaOf(eventDataSchema), examples };
    console.log(JSON.stringify({ topicNames, topics: topics([]), jsonEvents }));`;
  const loaded = execFileSync(process.execPath, [...asTypeScript, '--input-type=module', '--eval', script], limits);
  return `${JSON.stringify(documentOf(image, JSON.parse(loaded)), null, 2)}\n`;
}

function documentOf(image, { topicNames, topics, jsonEvents }) {
  const types = typesOf(image);
  const records = recordsOf(types);
  const published = PUBLIC.map((id) => {
    const topic = topics.find(({ name }) => name === topicNames[id]);
    const record = id === 'deadLetters' ? deadLetter : records.get(topic.name);
    if (!record) throw new Error(`no proto message says that it is the record of ${topic.name}`);
    return { id, topic, record, message: record.message ?? protobufMessage(record) };
  });
  const schemas = schemasOf(
    types,
    [subscriptionTopic, ...published.map(({ record }) => record)].flatMap(({ name }) => name ?? []),
  );
  const files = withImports(image, [EVENT_STREAM, ...[...schemas.values()].map(({ file }) => file)]);
  return {
    asyncapi: '3.0.0',
    info: { title: 'Tidings events', version: '1.0.0', description: DESCRIPTION },
    defaultContentType: PROTOBUF,
    servers: {
      kafka: {
        host: '{brokers}',
        protocol: 'kafka',
        description: 'The Kafka of the deployment.',
        variables: { brokers: { default: 'localhost:9092', description: 'As in `KAFKA_BROKERS`.' } },
      },
    },
    channels: {
      ...Object.fromEntries(
        published.map(({ id, topic, record, message }) => [id, channelOf(topic, record, message.title)]),
      ),
      [subscriptionTopic.id]: subscriptionTopic.channel,
    },
    operations: {
      ...Object.fromEntries(
        published.map(({ id, record }) => [
          `publish${id[0].toUpperCase()}${id.slice(1)}`,
          { action: 'send', channel: { $ref: `#/channels/${id}` }, summary: record.text.split('. ')[0] },
        ]),
      ),
      publishSubscription: subscriptionTopic.operation,
    },
    components: {
      messages: {
        ...Object.fromEntries(published.map(({ message }) => [message.title, message])),
        WebhookRequest: {
          ...protobufMessage({ name: subscriptionTopic.name, key: 'application/hwid' }),
          headers: subscriptionTopic.headers,
        },
        CloudEvent: cloudEventMessage(jsonEvents),
      },
      schemas: {
        TraceHeaders: traceHeaders,
        DeadLetterHeader: deadLetterHeader,
        EventData: jsonEvents.data,
        ...Object.fromEntries([...schemas].sort().map(([name, { schema }]) => [name, schema])),
      },
    },
    'x-protobuf-files': Object.fromEntries(
      filesBelow('proto')
        .filter((path) => files.has(path))
        .map((path) => [path, readFileSync(join(root, 'proto', path), 'utf8')]),
    ),
  };
}
