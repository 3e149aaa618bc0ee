# SPDX-License-Identifier: MIT
"""Every page under rules/ that is generated from the files beside it."""

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.report.fact_page import fact_page
from clprobe.report.rule_pages import topic_pages
from clprobe.report.table_pages import printed_page, table_pages


def data_pages(knowledge: Knowledge) -> dict[str, str]:
    """Return each page by its path below rules/."""
    topics = {f"{topic}/README.md": page for topic, page in topic_pages(knowledge.rules).items()}
    tables = table_pages(knowledge.tables)
    facts = {"FACTS.md": fact_page(), "tables/printed/README.md": printed_page()}
    return facts | topics | {f"tables/{folder}/README.md": page for folder, page in tables.items()}
