{{/* Secrets that a workload reads as files, below /run/secrets/tidings: a list of secret, key, path and variable. Takes root and workload. */}}
{{- define "tidings.secretFiles" -}}
{{- $values := .root.Values -}}
{{- $files := list -}}
{{- $workload := .workload -}}
{{- $isTopics := eq $workload.program "topics" -}}
{{- $wanted := list -}}
{{- if not $isTopics -}}
{{- $wanted = append $wanted (list "TIDINGS_MASTER_KEY_FILE" "master-key" $values.secrets.masterKey) -}}
{{- $wanted = append $wanted (list "TIDINGS_MASTER_KEY_PREVIOUS_FILE" "master-key-previous" $values.secrets.masterKeyPrevious) -}}
{{- end -}}
{{- if has "gateway" $workload.services -}}
{{- $wanted = append $wanted (list "TIDINGS_ADMIN_TOKEN_FILE" "admin-token" $values.secrets.adminToken) -}}
{{- end -}}
{{- if $workload.store -}}
{{- $wanted = append $wanted (list "MONGO_URL_FILE" "mongo-url" $values.mongodb.url) -}}
{{- end -}}
{{- if has "email" $workload.channels -}}
{{- $wanted = append $wanted (list "SMTP_URL_FILE" "smtp-url" $values.mail.smtpUrl) -}}
{{- end -}}
{{- if or (has "sms" $workload.channels) (has "fanout" $workload.services) -}}
{{- $wanted = append $wanted (list "SMPP_URL_FILE" "smpp-url" $values.sms.smppUrl) -}}
{{- end -}}
{{- $kafka := $values.kafka -}}
{{- if $kafka.sasl.mechanism -}}
{{- $sasl := dict "existingSecret" $kafka.sasl.existingSecret "key" $kafka.sasl.passwordKey -}}
{{- $wanted = append $wanted (list "KAFKA_SASL_PASSWORD_FILE" "kafka-password" $sasl) -}}
{{- end -}}
{{- if $kafka.tls.enabled -}}
{{- $wanted = append $wanted (list "KAFKA_SSL_CA" "kafka/ca.crt" (dict "existingSecret" $kafka.tls.caSecret "key" $kafka.tls.caKey)) -}}
{{- $wanted = append $wanted (list "KAFKA_SSL_CERT" "kafka/tls.crt" (dict "existingSecret" $kafka.tls.clientSecret "key" $kafka.tls.certificateKey)) -}}
{{- $wanted = append $wanted (list "KAFKA_SSL_KEY_FILE" "kafka/tls.key" (dict "existingSecret" $kafka.tls.clientSecret "key" $kafka.tls.privateKeyKey)) -}}
{{- end -}}
{{- if not $isTopics -}}
{{- $grpc := $values.grpcTls.existingSecret -}}
{{- $wanted = append $wanted (list "GRPC_TLS_CERT" "grpc/tls.crt" (dict "existingSecret" $grpc "key" "tls.crt")) -}}
{{- $wanted = append $wanted (list "GRPC_TLS_KEY_FILE" "grpc/tls.key" (dict "existingSecret" $grpc "key" "tls.key")) -}}
{{- $wanted = append $wanted (list "GRPC_TLS_CA" "grpc/ca.crt" (dict "existingSecret" $grpc "key" "ca.crt")) -}}
{{- $traces := $values.traces -}}
{{- $wanted = append $wanted (list "OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE" "traces/headers" $traces.headers) -}}
{{- $wanted = append $wanted (list "OTEL_EXPORTER_OTLP_CERTIFICATE" "traces/ca.crt" (dict "existingSecret" $traces.ca.existingSecret "key" "ca.crt")) -}}
{{- end -}}
{{- if $workload.outbound -}}
{{- $wanted = append $wanted (list "TIDINGS_EXTRA_CA" "extra-ca.crt" (dict "existingSecret" $values.extraCa.existingSecret "key" "ca.crt")) -}}
{{- $wanted = append $wanted (list "HTTPS_PROXY_FILE" "https-proxy" $values.proxy.secret) -}}
{{- end -}}
{{- range $wanted -}}
{{- $reference := index . 2 -}}
{{- if $reference.existingSecret -}}
{{- $files = append $files (dict "variable" (index . 0) "path" (index . 1) "secret" $reference.existingSecret "key" $reference.key) -}}
{{- end -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{/* Files that the gateway reads, below /run/files: a list of variable, volume, kind, name and file. Takes root and workload. */}}
{{- define "tidings.files" -}}
{{- $files := list -}}
{{- if has "gateway" .workload.services -}}
{{- $given := .root.Values.files -}}
{{- $known := list (list "GEOIP_DATABASE" "geoip-database" $given.geoipDatabase) (list "TIDINGS_DISPOSABLE_DOMAINS" "disposable-domains" $given.disposableDomains) -}}
{{- range $known -}}
{{- $file := index . 2 -}}
{{- if $file.kind -}}
{{- $files = append $files (merge (dict "variable" (index . 0) "volume" (index . 1)) $file) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{/* The environment of a container. Takes root and workload. */}}
{{- define "tidings.environment" -}}
{{- $values := .root.Values -}}
{{- $fullname := include "tidings.fullname" .root -}}
{{- $workload := .workload -}}
{{- $kafka := $values.kafka -}}
- { name: KAFKA_BROKERS, value: {{ join "," $kafka.brokers | quote }} }
{{- with $kafka.namespace }}
- { name: KAFKA_NAMESPACE, value: {{ . | quote }} }
{{- end }}
{{- if $kafka.tls.enabled }}
- { name: KAFKA_SSL, value: 'true' }
{{- end }}
{{- if $kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ $kafka.sasl.mechanism }} }
{{- if $kafka.sasl.username }}
- { name: KAFKA_SASL_USERNAME, value: {{ $kafka.sasl.username | quote }} }
{{- else }}
- name: KAFKA_SASL_USERNAME
  valueFrom: { secretKeyRef: { name: {{ $kafka.sasl.existingSecret }}, key: {{ $kafka.sasl.usernameKey }} } }
{{- end }}
{{- end }}
{{- /* Services create topics, too: those of subscribers. */}}
{{- with $kafka.replicationFactor }}
- { name: KAFKA_REPLICATION_FACTOR, value: {{ . | toString | quote }} }
{{- end }}
{{- if ne $workload.program "topics" }}
- { name: HOST, value: {{ $values.host | quote }} }
- { name: GRPC_PORT, value: '9090' }
- { name: HEALTH_PORT, value: '8082' }
{{- end }}
{{- if has "gateway" $workload.services }}
- { name: PORT, value: '8080' }
{{- if $values.mail.incoming.enabled }}
- { name: SMTP_LISTEN_PORT, value: '2525' }
{{- end }}
{{- end }}
{{- if has "webhooks" $workload.services }}
- { name: EVENTS_PORT, value: '8081' }
{{- end }}
{{- if $workload.together }}
- { name: TIDINGS_SERVICES, value: {{ join "," $workload.services | quote }} }
{{- end }}
{{- with $workload.channels }}
- { name: TIDINGS_CHANNEL, value: {{ join "," . | quote }} }
{{- end }}
{{- if $workload.links }}
- { name: PUBLIC_URL, value: {{ $values.publicUrl | quote }} }
{{- end }}
{{- if and $values.mail.bounceDomain (or (has "gateway" $workload.services) (has "email" $workload.channels)) }}
- { name: MAIL_BOUNCE_DOMAIN, value: {{ $values.mail.bounceDomain | quote }} }
{{- end }}
{{- if $workload.outbound }}
{{- with $values.proxy.https }}
- { name: HTTPS_PROXY, value: {{ . | quote }} }
{{- end }}
{{- with $values.proxy.noProxy }}
- { name: NO_PROXY, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- range $workload.calls }}
- { name: {{ upper . | replace "-" "_" }}_ADDRESS, value: '{{ $fullname }}-{{ . }}:9090' }
{{- end }}
{{- range include "tidings.secretFiles" . | fromYamlArray }}
- { name: {{ .variable }}, value: /run/secrets/tidings/{{ .path }} }
{{- end }}
{{- range include "tidings.files" . | fromYamlArray }}
- { name: {{ .variable }}, value: {{ printf "/run/files/%s/%s" .volume .file | quote }} }
{{- end }}
{{- range $name, $value := $values.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}
