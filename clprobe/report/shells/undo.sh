if [ -n "${CLPROBE_ENV_FOLDER+set}" ]; then
  case "$CLPROBE_ENV_FOLDER" in */clprobe/env-*) rm -rf -- "$CLPROBE_ENV_FOLDER";; esac
  if [ -n "${CLPROBE_ENV_VENDORS+set}" ]; then export OCL_ICD_VENDORS="$CLPROBE_ENV_VENDORS"; else unset OCL_ICD_VENDORS; fi
  if [ -n "${CLPROBE_ENV_FILENAMES+set}" ]; then export OCL_ICD_FILENAMES="$CLPROBE_ENV_FILENAMES"; else unset OCL_ICD_FILENAMES; fi
  unset CLPROBE_ENV_FOLDER CLPROBE_ENV_VENDORS CLPROBE_ENV_FILENAMES
fi
