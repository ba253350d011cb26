//! Pieces as the indices of a Kubernetes Job.
//!
//! An indexed Job gives each pod a number from 0 on in `JOB_COMPLETION_INDEX`, starts pods that die again, and counts those that
//! succeed: `norn work` succeeds as soon as there is an answer, whatever it says. The folder with the pieces has to be on a volume
//! that all pods can write to.

/// The manifest. `name`: of the Job, letters, digits and dashes.
pub fn manifest(name: &str, tiles: u32) -> String {
    const MOST_AT_A_TIME: u32 = 64;
    let parallelism = tiles.min(MOST_AT_A_TIME);
    format!(
        "# Copy this folder to a volume that all nodes can write to, put the names of that volume and of an image with norn\n\
         # below, and say: kubectl apply -f job.yaml. When the Job has ended: norn gather DIR.\n\
         apiVersion: batch/v1\n\
         kind: Job\n\
         metadata:\n\
         \x20 name: {name}\n\
         spec:\n\
         \x20 completionMode: Indexed\n\
         \x20 completions: {tiles}\n\
         \x20 parallelism: {parallelism}\n\
         \x20 backoffLimitPerIndex: 2\n\
         \x20 maxFailedIndexes: {tiles}\n\
         \x20 template:\n\
         \x20   spec:\n\
         \x20     restartPolicy: Never\n\
         \x20     containers:\n\
         \x20       - name: norn\n\
         \x20         image: norn:latest\n\
         \x20         command: [\"sh\", \"-c\", \"exec norn work /tiles $JOB_COMPLETION_INDEX\"]\n\
         \x20         resources:\n\
         \x20           requests: {{ cpu: \"1\", memory: 2Gi }}\n\
         \x20         volumeMounts:\n\
         \x20           - {{ name: tiles, mountPath: /tiles }}\n\
         \x20     volumes:\n\
         \x20       - name: tiles\n\
         \x20         persistentVolumeClaim: {{ claimName: tiles }}\n"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_has_an_index_for_each_piece() {
        let text = super::manifest("norn-12ab", 100);
        for line in [
            "  name: norn-12ab",
            "  completionMode: Indexed",
            "  completions: 100",
            "  parallelism: 64",
            "      restartPolicy: Never",
            "          command: [\"sh\", \"-c\", \"exec norn work /tiles $JOB_COMPLETION_INDEX\"]",
            "        - name: norn",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(!text.contains('\t'));
    }
}
