{{/* Security of a pod, as the restricted standard of Kubernetes asks for. The user is `node` of the image. */}}
{{- define "tidings.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "tidings.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What pods of services and the step `topics` have in common. Takes root and workload. */}}
{{- define "tidings.podBasics" -}}
automountServiceAccountToken: false
# Variables that Kubernetes makes of other services could have the names of settings.
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "tidings.podSecurity" . | nindent 2 }}
{{- end -}}

{{- define "tidings.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if include "tidings.secretFiles" . | fromYamlArray }}
- { name: secrets, mountPath: /run/secrets/tidings, readOnly: true }
{{- end }}
{{- if and .workload.store .root.Values.mongodb.tls.existingSecret }}
- { name: mongodb-tls, mountPath: /run/secrets/tidings-mongodb, readOnly: true }
{{- end }}
{{- /* Whole folders: a file that is mounted alone would never be replaced. */}}
{{- range include "tidings.files" . | fromYamlArray }}
- { name: {{ .volume }}, mountPath: /run/files/{{ .volume }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "tidings.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- with include "tidings.secretFiles" . | fromYamlArray }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      - secret: { name: {{ .secret }}, items: [{ key: {{ .key | quote }}, path: {{ .path }} }] }
      {{- end }}
{{- end }}
{{- if and .workload.store .root.Values.mongodb.tls.existingSecret }}
- name: mongodb-tls
  secret: { secretName: {{ .root.Values.mongodb.tls.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- range include "tidings.files" . | fromYamlArray }}
- name: {{ .volume }}
  {{- if eq .kind "secret" }}
  secret: { secretName: {{ .name }}, defaultMode: 0440 }
  {{- else if eq .kind "configMap" }}
  configMap: { name: {{ .name }} }
  {{- else }}
  persistentVolumeClaim: { claimName: {{ .name }}, readOnly: true }
  {{- end }}
{{- end }}
{{- end -}}

{{/* Spread of the pods of a workload. Takes root and workload. */}}
{{- define "tidings.spread" -}}
{{- $selector := include "tidings.selector" (dict "root" .root "program" .workload.program "channel" .workload.channel) -}}
{{- range $key, $how := dict "topology.kubernetes.io/zone" .root.Values.topologySpread.zone "kubernetes.io/hostname" .root.Values.topologySpread.node }}
{{- if $how }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: {{ $how }}
  labelSelector:
    matchLabels:
      {{- $selector | nindent 6 }}
  # A roll-out spreads its own pods.
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end -}}
