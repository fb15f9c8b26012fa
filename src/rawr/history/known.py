"""Kinds of events that are known and not used: they repeat an item, show progress, or are about the program around it.

An event that is neither read nor listed here is counted as not understood.
"""

EVENTS_PASSED = frozenset(
    {
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "apply_patch_approval_request",
        "background_event",
        "context_compacted",
        "deprecation_notice",
        "elicitation_request",
        "error",
        "exec_approval_request",
        "exec_command_begin",
        "exec_command_output_delta",
        "guardian_assessment",
        "image_generation_begin",
        "image_generation_end",
        "item_started",
        "patch_apply_begin",
        "patch_apply_end",
        "patch_apply_updated",
        "plan_delta",
        "plan_update",
        "raw_response_item",
        "request_permissions",
        "request_user_input",
        "session_configured",
        "shutdown_complete",
        "stream_error",
        "stream_info",
        "sub_agent_activity",
        "terminal_interaction",
        "turn_diff",
        "turn_moderation_metadata",
        "view_image_tool_call",
        "warning",
        "web_search_begin",
        "web_search_end",
    }
)
EVENTS_PASSED_BEGIN = (
    "agent_message_",
    "agent_reasoning_",
    "collab_",
    "dynamic_tool_call_",
    "hook_",
    "mcp_",
    "model_",
    "realtime_",
    "skills_",
    "thread_",
    "undo_",
)
"""Families of them, of which new versions bring new members."""
